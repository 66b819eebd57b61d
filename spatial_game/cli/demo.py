"""`spatial-game demo`: the whole loop, from the environment to the dictionary."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from cyclopts.types import Directory, PositiveInt

from spatial_game import referential_v0
from spatial_game.cli.agents import AgentsCommand, load_players
from spatial_game.cli.options import GameFlags, require_writable
from spatial_game.cli.play import show_episode
from spatial_game.cli.record import write_recording
from spatial_game.cli.terminal import Output
from spatial_game.envs.game import SENDER
from spatial_game.game.seeds import random_stream

if TYPE_CHECKING:
    from spatial_game.language.dictionary.lexicon import Lexicon


@dataclass(frozen=True, kw_only=True)
class Demo(AgentsCommand):
    """The options of `spatial-game demo`."""

    out: Directory = Path("spatial-game-demo")
    """Folder for the recording and the lexicon; files of an earlier demo are replaced."""
    episodes: PositiveInt = 20_000
    """Episodes to play and record."""
    seed: int = 0
    """Root of the random streams."""

    def execute(self, output: Output) -> dict[str, Any]:
        """Play, record, analyse and show."""
        require_writable(self.out)
        started, players = time.monotonic(), load_players(self.agents, GameFlags(), self.seed)
        recording, lexicon_file = self.out / "recording.parquet", self.out / "lexicon.json"
        output.heading(f"1  One episode of spatial_game/referential-v0, played by {self.agents}")
        env = referential_v0.env(**players.config.to_dict())
        env.reset(seed=int(random_stream(self.seed, "environment").generate_state(1)[0]))
        actions, _ = show_episode(env, players, output)
        won = write_recording(players, self.episodes, self.seed, recording)
        output.heading("2  How well they understand each other")
        output.say("", f"  {won}; chance is {1 / players.config.num_candidates:.0%}")
        lexicon = read_and_show(output, recording, lexicon_file, actions[SENDER])
        output.heading("4  Files")
        output.say("", f"  recording  {recording}", f"  lexicon    {lexicon_file}")
        output.say("", "The language on one page:")
        output.say(f"  spatial-game describe {recording} --out page.html")
        output.say(f"Finished in {time.monotonic() - started:.0f} s. Next: spatial-game --help")
        return {
            "agents": self.agents,
            "accuracy": won.accuracy,
            "episodes": won.trials,
            "bits": asdict(lexicon.bits),
            "recording": str(recording),
            "lexicon": str(lexicon_file),
        }


def read_and_show(output: Output, recording: Path, lexicon_file: Path, message: list[int]) -> Lexicon:
    """Read the language of a recording, write its lexicon, show it in a few sentences, and return it."""
    from spatial_game.cli.analyse import show_bits, show_meaning
    from spatial_game.cli.read_language import read_language
    from spatial_game.language import write_lexicon
    from spatial_game.language.dictionary.interpreter import interpreter

    with read_language([str(recording)], GameFlags(), None, 0) as language:
        lexicon = language.lexicon()
    write_lexicon(lexicon, lexicon_file)
    show_bits(output, "3  What their messages mean, from the recording alone", lexicon)
    output.say("")
    first = f"The message of the first episode, {message}, means: {{}}."
    show_meaning(output, interpreter(lexicon), np.array(message), first)
    return lexicon

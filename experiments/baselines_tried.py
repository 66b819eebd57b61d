"""What else was tried with the baselines: one seed of each, as a table in Markdown.

    OMP_NUM_THREADS=1 python experiments/baselines_tried.py    (about 6 minutes)

Writes `docs/_static/baselines/tried.txt`. Everything that is not named has the settings of `baselines.py`.
"""

from __future__ import annotations

from collections.abc import Iterator

import torch
from baselines import GAMES, OUT
from learners.curves import Progress, trace
from learners.joint import PairSettings, train_reinforce
from learners.ppo import PPOSettings, train_receiver, train_sender

from spatial_game.files import write_text
from spatial_game.game.policies import OracleReceiver

SEED = 0
SMALL, PAPER_20 = GAMES["small"], GAMES["paper-20"]


def tried() -> Iterator[tuple[str, str, Iterator[Progress]]]:
    """What it is, on which game, and its training."""
    for bonus in (0.01, 0.1):
        settings = PairSettings(episodes=1_000_000, entropy_bonus=bonus, points=1)
        yield f"reinforce, entropy {bonus}", "paper-20", train_reinforce(PAPER_20, settings, SEED)
    settings = PairSettings(episodes=1_000_000, learning_rate=0.01, points=1)
    yield "reinforce, rate 0.01", "paper-20", train_reinforce(PAPER_20, settings, SEED)
    for bonus in (0.01, 0.02):
        settings = PairSettings(episodes=500_000, entropy_bonus=bonus, networks="reference", points=1)
        yield f"reinforce, GRU, entropy {bonus}", "small", train_reinforce(SMALL, settings, SEED)
    *_, trained = train_receiver(PAPER_20, PPOSettings(episodes=300_000, points=1), SEED)
    for episodes, bonus in ((300_000, 0.005), (300_000, 0.05), (900_000, 0.02)):
        sending = PPOSettings(episodes=episodes, entropy_bonus=bonus, points=1)
        name = f"ppo-sender, entropy {bonus}"
        yield name, "paper-20", train_sender(PAPER_20, sending, SEED, trained.receiver)
    sending = PPOSettings(episodes=60_000, points=1)
    yield "ppo-sender, oracle receiver", "small", train_sender(SMALL, sending, SEED, OracleReceiver(SMALL))
    sending = PPOSettings(episodes=300_000, points=1)
    oracle = OracleReceiver(PAPER_20)
    yield "ppo-sender, oracle receiver", "paper-20", train_sender(PAPER_20, sending, SEED, oracle)
    plain = PPOSettings(episodes=300_000, networks="mlp", points=1)
    yield "ppo-receiver, MLP", "paper-20", train_receiver(PAPER_20, plain, SEED)


def main() -> None:
    """Train all of it, one after the other."""
    torch.set_num_threads(1)
    rows = ["| Tried | Game | Episodes | Accuracy |", "|---|---|---|---|"]
    for name, game, training in tried():
        *_, last = trace(training, GAMES[game], SEED)
        rows.append(f"| {name} | {game} | {last.episodes:,} | {last.accuracy:.1%} |")
        print(rows[-1], flush=True)
    write_text(OUT / "tried.txt", "\n".join(rows) + "\n")


if __name__ == "__main__":
    main()

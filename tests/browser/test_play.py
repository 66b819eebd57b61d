"""The page to play with: networks, rules and readings against the package, and a person's clicks and keys."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from spatial_game.cli.browser import pair_in_page
from spatial_game.cli.options import GameOptions
from spatial_game.cli.play import read_lexicon
from spatial_game.cli.players import Players, load_players
from spatial_game.game.episodes import Episodes, check_episodes, draw_episodes
from spatial_game.language import Lexicon
from spatial_game.language.dictionary.referents import Edge, parts_of
from spatial_game.language.players.reading import UNREAD, in_words, legend, read_in_words, read_messages
from spatial_game.web.play.page import play_page

PAIRS = ("embed-60", "paper-60")
IS_READY = "game.pair !== undefined"
PLAY = """([index, episodes]) => {
  const pair = pairs[index];
  return episodes.map(([window, sequence, candidates]) => {
    const message = pair.send(window);
    return [...message, pair.choose(message, sequence, candidates)];
  });
}"""
DRAW = """([index, count]) => {
  const random = seeded(7), { config } = pairs[index];
  return Array.from({ length: count }, () => {
    const e = newEpisode(config, random);
    return [e.sequence, e.position, e.window, e.position - e.start, e.candidates, e.targetIndex];
  });
}"""
READ = """([index, cases]) => {
  const { dictionary } = pairs[index];
  return cases.map(([message, window]) => {
    const said = dictionary.read(message, window);
    return said.map(({ text, holds }) => text + (holds ? "" : " (not so here)")).join(dictionary.joint);
  });
}"""


@cache
def players(name: str) -> Players:
    return load_players(name, GameOptions(), 0)


@cache
def lexicon_of(name: str) -> Lexicon:
    """Return the lexicon that comes with a bundled pair."""
    lexicon = read_lexicon(players(name).lexicon, players(name))
    assert lexicon is not None
    return lexicon


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the page with two bundled pairs."""
    path = tmp_path_factory.mktemp("play") / "play.html"
    pairs = [pair_in_page(players(name), lexicon_of(name)) for name in PAIRS]
    path.write_text(play_page(pairs), "utf-8")
    return path


@pytest.fixture(scope="module")
def loaded(shared_page: Any, file: Path) -> Any:
    """Return the page, which is loaded once, for tests of what it computes."""
    shared_page.goto(f"{file.as_uri()}#seed=4")
    shared_page.wait_for_function(IS_READY)
    return shared_page


@pytest.fixture
def play(loaded: Any) -> Iterator[Any]:
    """Yield the page, loaded anew, on its first episode, whose target is 35."""
    loaded.set_viewport_size({"width": 1280, "height": 900})
    loaded.reload()
    loaded.wait_for_function(IS_READY)
    yield loaded
    assert loaded.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def verdict(page: Any) -> str:
    return str(page.locator("[data-part=verdict]").inner_text())


def shares(page: Any) -> list[int]:
    return [int(text.rstrip("%")) for text in page.locator(".share").all_inner_texts()]


# --- The networks and the rules ---------------------------------------------------------------------------


def test_the_file_is_small(file: Path) -> None:
    assert file.stat().st_size < 1_000_000


def test_the_largest_dictionary_fits_in_a_small_file() -> None:
    pair = load_players("local-60/3", GameOptions(), 0)
    assert len(play_page([pair_in_page(pair, read_lexicon(pair.lexicon, pair))]).encode()) < 1_000_000


@pytest.mark.parametrize("name", PAIRS)
def test_pairs_play_as_in_the_package(loaded: Any, name: str) -> None:
    pair = players(name)
    episodes = draw_episodes(pair.config, 300, np.random.default_rng(11))
    messages = pair.sender.send(episodes.window)
    choices = pair.receiver.choose(messages, episodes.sequence, episodes.candidates)
    found = loaded.evaluate(PLAY, [PAIRS.index(name), views(episodes)])
    require_same_play(found, messages, choices)


def require_same_play(found: Any, messages: Any, choices: Any) -> None:
    """Allow one near tie, which the page decides in double precision."""
    differ = (np.array(found) != np.column_stack([messages, choices])).any(axis=1)
    assert np.count_nonzero(differ) <= 1


def views(episodes: Episodes) -> list[list[Any]]:
    fields = (episodes.window, episodes.sequence, episodes.candidates)
    return [list(each) for each in zip(*(field.tolist() for field in fields), strict=True)]


@pytest.mark.parametrize(
    ("network", "inputs"),
    [
        ("sequential", "one-hot"),
        ("sequential", "scalars"),
        ("sequential", "embedding"),
        ("local", "embedding"),
        ("landmark", "embedding"),
        ("product", "embedding"),
    ],
)
def test_pairs_of_any_size_and_inputs_play_as_in_the_package(
    fresh_page: Any, tmp_path: Path, network: Any, inputs: Any
) -> None:
    torch, page = pytest.importorskip("torch"), fresh_page
    from spatial_agents.networks.gru import new_pair
    from spatial_agents.pairs.tensor_files import Weights, as_arrays, write_weights
    from spatial_agents.recipes import AgentConfig
    from spatial_game.config import GameConfig

    config = GameConfig(
        sequence_length=12, num_integers=15, vocab_size=5, message_length=4, num_distractors=2
    )
    agent = AgentConfig(network=network, hidden_size=10, inputs=inputs, embedding_size=3)
    drawn = new_pair(config, agent, torch.Generator().manual_seed(2))
    large = {name: 5 * array for name, array in as_arrays(drawn.state_dict()).items()}  # says many things
    write_weights(tmp_path / "pair.safetensors", Weights(large, config, agent, {}))
    pair = players(str(tmp_path))
    page.set_content(play_page([pair_in_page(pair, None)]))
    page.wait_for_function(IS_READY)
    episodes = draw_episodes(config, 300, np.random.default_rng(3))
    messages = pair.sender.send(episodes.window)
    choices = pair.receiver.choose(messages, episodes.sequence, episodes.candidates)
    found = page.evaluate(PLAY, [0, views(episodes)])
    require_same_play(found, messages, choices)
    assert len(np.unique(messages, axis=0)) > 6
    assert "this pair has no dictionary" in page.inner_text("[data-part=words]")


def test_episodes_are_those_of_the_game(loaded: Any) -> None:
    number, config = 2000, players("embed-60").config
    columns = zip(*loaded.evaluate(DRAW, [0, number]), strict=True)
    episodes = check_episodes(config, Episodes(*(np.array(column) for column in columns)))
    for drawn, size in [
        (episodes.target_position, 60),
        (episodes.target_index, 5),
        (episodes.target, 60),
        (episodes.sequence[:, 0], 60),
        (episodes.candidates[:, 4], 60),
    ]:
        counts = np.bincount(drawn, minlength=size)
        assert np.all(abs(counts - number / size) < 5 * np.sqrt(number / size))


@pytest.mark.parametrize("name", PAIRS)
def test_messages_are_read_as_in_the_package(loaded: Any, name: str) -> None:
    pair, lexicon, rng = players(name), lexicon_of(name), np.random.default_rng(5)
    episodes = draw_episodes(pair.config, 200, rng)
    messages = np.concatenate([pair.sender.send(episodes.window[:100]), rng.integers(0, 26, (100, 3))])
    words = [in_words(lexicon, m, w) for m, w in zip(messages, episodes.window, strict=True)]
    cases = [list(case) for case in zip(messages.tolist(), episodes.window.tolist(), strict=True)]
    found = loaded.evaluate(READ, [PAIRS.index(name), cases])
    assert found == ["" if text == UNREAD else text for text in words]
    assert any("not so here" in text for text in words)
    assert UNREAD in words


@pytest.mark.parametrize("name", PAIRS)
def test_sets_that_a_reading_only_names_are_written_out(loaded: Any, name: str) -> None:
    lexicon = lexicon_of(name)
    messages = np.random.default_rng(8).integers(0, 26, (300, 3))
    code = "([i, messages]) => messages.map((m) => pairs[i].dictionary.legend(m))"
    found = loaded.evaluate(code, [PAIRS.index(name), messages.tolist()])
    read = read_messages(lexicon, messages), read_in_words(lexicon, messages)
    for said, words, lines in zip(*read, found, strict=True):
        named = [line for line in lines if line.startswith("class")]
        assert named == legend(lexicon, words)
        assert sum("undefined" in line for line in lines) == 0
        for line in lines[len(named) :]:
            name, _, text = line.partition(": ")
            assert name in words
            values = integers_in(text)
            assert name.startswith(f"one of {len(values)} integers ")
            parts = [part for each in said for part in parts_of(each.referent)]
            assert tuple(values) in [tuple(sorted(p.values)) for p in parts if not isinstance(p, Edge)]
        assert len(set(re.findall(r"one of \d+ integers \w+ \w+", words))) == len(lines) - len(named)


def integers_in(text: str) -> list[int]:
    """Return the integers of a text such as 3, 7 or 12-15."""
    bands = [list(map(int, piece.split("-"))) for piece in re.split(", | or ", text)]
    return [integer for band in bands for integer in range(band[0], band[-1] + 1)]


@pytest.mark.parametrize("name", PAIRS)
def test_suggestions_are_true_and_understood(loaded: Any, name: str) -> None:
    pair = players(name)
    episodes = draw_episodes(pair.config, 300, np.random.default_rng(6))
    code = "([i, windows]) => windows.map((w) => pairs[i].dictionary.suggest(w))"
    found = loaded.evaluate(code, [PAIRS.index(name), episodes.window.tolist()])
    spoken = [row for row, messages in enumerate(found) if messages]
    first = np.array([found[row][0] for row in spoken])
    heard = episodes[np.array(spoken)]
    choices = pair.receiver.choose(first, heard.sequence, heard.candidates)
    assert len(spoken) > 280
    assert np.mean(choices == heard.target_index) > 0.85
    number = [len(messages) for messages in found]
    said = read_messages(lexicon_of(name), np.array([each for messages in found for each in messages]))
    for statements, window in zip(said, np.repeat(episodes.window, number, axis=0), strict=True):
        assert statements
        assert all(statement.holds(window, pair.config) for statement in statements)


def test_it_says_what_went_wrong(loaded: Any) -> None:
    says = [{"text": "39 one left", "holds": True}, {"text": "4 two left", "holds": False}]

    def why(*fits: bool | None) -> str:
        weighed = [{"integer": 10 + i, "said": says, "fits": fit} for i, fit in enumerate(fits)]
        return str(loaded.evaluate("(w) => whatWentWrong(w, 0, 1, 'You')", weighed))

    assert why(None, None, None) == "The dictionary does not say what this message means."
    assert why(False, True, False) == (
        "According to the dictionary, the message is not true of the target, 10, but it is true of 11. "
        "Untrue: 4 two left."
    )
    assert why(False, False, True) == (
        "According to the dictionary, the message is not true of the target, 10. Untrue: 4 two left."
    )
    assert why(True, True, True) == (
        "According to the dictionary, the message is true of the target, 10, and also of 11 and 12. "
        "It does not tell them apart."
    )
    assert why(True, False, False) == (
        "According to the dictionary, the message is true of only one candidate, 10. You misunderstood it."
    )


# --- As a person plays ------------------------------------------------------------------------------------


def test_a_receiver_chooses(play: Any) -> None:
    assert verdict(play) == "Your turn: use the message to find the target."
    assert " left" in play.inner_text("[data-part=words]")
    assert play.locator(".share").count() == 0  # the pair's receiver gives nothing away
    play.get_by_role("button", name="Choose 35").click()
    assert verdict(play) == "You choose 35. Right: both agents earn 1."
    assert play.inner_text("[data-part=score]") == "You won 1 of 1. The pair's receiver would have won 1."
    play.get_by_role("button", name="Next episode").click()
    while "Wrong" not in verdict(play):
        if "Right" in verdict(play):
            play.get_by_role("button", name="Next episode").click()
        play.locator("[data-part=candidates] button").last.click()
    assert play.get_by_role("heading", name="What went wrong").is_visible()
    assert play.inner_text("[data-part=wrong]").startswith(
        "According to the dictionary, the message is true of"
    )


def test_the_keyboard_is_enough(play: Any) -> None:
    play.locator("[data-part=candidates] button").first.focus()
    for _ in range(3):
        play.keyboard.press("Enter")  # chooses the first candidate
        assert verdict(play).startswith("You choose")
        assert play.evaluate("document.activeElement.textContent") == "Next episode"
        play.keyboard.press("Enter")
        assert verdict(play).startswith("Your turn")
    assert "of 3." in play.inner_text("[data-part=score]")
    play.get_by_role("radio", name="the sender").focus()
    play.keyboard.press("Space")
    play.locator("[data-part=symbols] button").first.focus()
    for key in ("ArrowRight", "End", "ArrowRight"):  # the last symbol is followed by the first
        play.keyboard.press(key)
        play.keyboard.press("Enter")
    assert play.locator("[data-part=message] button").all_inner_texts() == ["1", "25", "0"]
    play.keyboard.press("Tab")
    assert play.evaluate("document.activeElement.textContent") == "Send the message"
    play.keyboard.press("Enter")
    assert verdict(play).startswith("The receiver chooses")


def test_a_sender_speaks(play: Any) -> None:
    play.get_by_role("radio", name="the sender").check()
    assert not play.get_by_role("heading", name="Sequence").is_visible()
    assert play.locator("[data-part=candidates] *").count() == 0
    assert play.get_by_role("button", name="Send the message").is_disabled()
    suggestion = play.locator(".suggestions button").first
    words = suggestion.inner_text()
    suggestion.click()
    assert words.split()[:3] == play.locator("[data-part=message] button").all_inner_texts()
    play.get_by_role("button", name="Send the message").click()
    assert "Right: both agents earn 1." in verdict(play)
    assert re.match(
        r"The pair's sender says \d+ \d+ \d+; with it, the receiver chooses \d+\.",
        play.inner_text("[data-part=comparison]"),
    )


@pytest.mark.parametrize("name", PAIRS)
def test_a_changed_symbol_moves_the_probabilities(play: Any, name: str) -> None:
    play.get_by_label("Pair").select_option(label=name)
    play.get_by_role("radio", name="only watching").check()
    before = shares(play)
    sent = play.locator("[data-part=message] button").all_inner_texts()
    assert 98 <= sum(before) <= 102
    play.get_by_role("button", name=re.compile("^Slot 2")).click()
    moved = set()
    for symbol in range(0, 26, 3):
        play.get_by_role("button", name=f"{symbol}", exact=True).click()
        now = shares(play)
        assert 97 <= sum(now) <= 103
        chosen = play.inner_text("[data-part=effect]")
        best = play.locator("[data-part=candidates] .cell").nth(int(np.argmax(now))).inner_text()
        assert chosen.endswith(f"the receiver chooses {re.match('[0-9]+', best)[0]}.") or len(set(now)) < 5
        moved.add(tuple(now))
    assert len(moved) > 3
    assert play.inner_text("[data-part=message-note]") == f"changed; the sender sent {' '.join(sent)}"
    play.get_by_role("button", name="Back to the message that was sent").click()
    assert shares(play) == before
    assert not play.get_by_role("button", name="Back to the message that was sent").is_visible()


def test_the_same_seed_gives_the_same_episodes(play: Any, file: Path) -> None:
    def sequence() -> list[str]:
        return list(play.locator("[data-part=sequence] li").all_inner_texts())

    first = sequence()
    play.reload()
    play.wait_for_function(IS_READY)
    assert sequence() == first
    play.goto("about:blank")
    play.goto(f"{file.as_uri()}#seed=5")
    play.wait_for_function(IS_READY)
    assert sequence() != first
    play.goto("about:blank")
    play.goto(f"{file.as_uri()}#seed=4")
    play.wait_for_function(IS_READY)
    assert sequence() == first


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_a_telephone(play: Any, scheme: str) -> None:
    play.emulate_media(color_scheme=scheme)
    play.set_viewport_size({"width": 390, "height": 800})
    boxes = "[...document.querySelectorAll('.play *')].map((e) => e.getBoundingClientRect().right)"
    for role in ("receiver", "sender", "nobody"):
        play.locator(f"input[value={role}]").check()
        assert play.evaluate(f"Math.max(...{boxes})") <= 390
    paper = {"light": "rgb(244, 244, 241)", "dark": "rgb(23, 24, 27)"}[scheme]
    assert play.evaluate("getComputedStyle(document.querySelector('.play')).backgroundColor") == paper


@pytest.mark.parametrize(
    ("role", "buttons"), [("receiver", "candidates] button"), ("sender", "symbols] button, [data-part=send]")]
)
def test_on_a_telephone_the_buttons_of_an_answer_are_in_sight(play: Any, role: str, buttons: str) -> None:
    play.set_viewport_size({"width": 390, "height": 664})
    play.locator(f"input[value={role}]").check()
    ends = (
        f"[...document.querySelectorAll('[data-part={buttons}')].map((e) => e.getBoundingClientRect().bottom)"
    )
    play.evaluate("scrollTo(0, 0)")
    assert 0 < play.evaluate(f"Math.max(...{ends})") <= 664


def test_a_role_begins_with_the_first_episode_of_the_seed(play: Any) -> None:
    play.locator("[data-part=candidates] button").first.click()
    play.get_by_role("button", name="Next episode").click()
    assert play.inner_text("[data-part=number]") == "Episode 2 of seed 4"
    play.get_by_role("radio", name="only watching").check()
    assert play.inner_text("[data-part=number]") == "Episode 1 of seed 4"
    assert play.locator("[data-part=candidates] .target").inner_text().startswith("35")


def test_a_set_that_is_only_named_opens_to_its_integers(play: Any) -> None:
    members = play.locator("[data-part=words] details").first
    named = re.fullmatch(r"one of (\d+) integers two left", members.inner_text())
    assert named is not None
    members.locator("summary").click()
    assert len(integers_in(members.inner_text().splitlines()[-1])) == int(named[1])
    play.get_by_role("radio", name="the sender").check()
    play.locator(".suggestions summary", has_text="class").first.click()
    assert re.search(r"class [A-Z]\s+\d+", play.locator(".suggestions details[open]").inner_text())


def test_without_scripts_it_says_what_is_missing(browser: Any, file: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(file.as_uri())
    assert "needs JavaScript" in page.inner_text("noscript")
    context.close()

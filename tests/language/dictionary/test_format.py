"""A program of its own, written from the page *Recordings and file formats* alone, gets the same bits."""

import gzip
import itertools
import json
import math
import re
from collections import Counter

import numpy as np
import pytest
from scripted import Scripted, lexicon_of

from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.game.oracle import OracleSender
from spatial_game.language import LexiconError, count, letters_and_words, read_lexicon, write_lexicon
from spatial_game.language.dictionary import file
from spatial_game.recording import record

LEAST = 1e-9


class Program:
    """Reads the JSON of a lexicon, for games of one axis. Nothing of the package is used."""

    def __init__(self, content):
        self.content, config = content, content["config"]
        self.integers, self.symbols = config["num_integers"], config["vocab_size"]
        self.radius = config["window_radius"]
        self.words = {tuple(message): row for row, message in enumerate(content["messages"])}

    def prior(self, place):
        views = [share for _, _, share in self.content["views"]]
        return np.array(views) if place == "view" else np.full(self.integers, 1 / self.integers)

    def by_letters(self, variable, message):
        q = self.prior(variable["place"])
        log = np.log(q)
        for symbol, letters, a in zip(message, variable["letters"], variable["pseudo_episodes"], strict=True):
            c = self.counts(letters[symbol], len(q))
            log = log + variable["exponent"] * np.log((c + a * q) / (c.sum() + a) / q)
        p = np.exp(log - log.max())
        return p / p.sum()

    def by_words(self, variable, message):
        p1, row = self.by_letters(variable, message), self.words.get(message)
        if row is None:
            return p1
        w, u = variable["letters_weight"][row], variable["prior_weight"][row]
        q = self.prior(variable["place"])
        c = self.counts(variable["words"][row], len(q))
        return (1 - w - u) * c / max(c.sum(), 1) + w * p1 + u * q

    def counts(self, pairs, size):
        found = np.zeros(size)
        found[pairs[::2]] = pairs[1::2]
        return found

    def view(self, window):
        mask = window.index(-1)
        shown = [cell - mask for cell, value in enumerate(window) if value >= 0]
        edge = "begin" if mask == 0 else f"begin+{mask}" if mask < self.radius else "middle"
        if mask > self.radius:
            edge = "end" if mask == 2 * self.radius else f"end-{2 * self.radius - mask}"
        return [view[:2] for view in self.content["views"]].index([edge, shown]), shown, mask

    def bits(self, window, message, read):
        """Return the bits of a window by place, and what repetition takes away."""
        view, shown, mask = self.view(window)
        values = {"view": view, **{offset: window[mask + offset] for offset in shown}}
        found, cells = {}, []
        for variable in self.content["variables"]:
            place = variable["place"]
            if place in values:
                p, q = np.maximum(read(variable, message), LEAST), self.prior(place)
                found[place] = math.log2(p[values[place]] / q[values[place]])
                cells += [p] if place != "view" else []
        even = [np.full(self.integers, 1 / self.integers)] * len(cells)
        return found, math.log2(max(distinct(cells), LEAST)) - math.log2(distinct(even))


def distinct(cells):
    """Return the probability that independent draws differ, exactly for up to four cells."""
    if len(cells) > 4:
        return math.prod(max(1 - one @ other, 1e-3) for one, other in itertools.combinations(cells, 2))
    if not cells:
        return 1.0
    first, *others = cells
    # The first cell has no value of its own if it shares that of another: their product takes its place.
    rest = (distinct([*others[:i], first * others[i], *others[i + 1 :]]) for i in range(len(others)))
    return first.sum() * distinct(others) - sum(rest)


@pytest.mark.parametrize(
    "config",
    [
        GameConfig(12, window_radius=2, num_distractors=2, vocab_size=12, message_length=2),
        GameConfig(14, window_radius=2, num_distractors=2, vocab_size=12, message_length=3, num_visible=2),
        GameConfig(12, window_radius=3, num_distractors=2, vocab_size=12, message_length=2),
    ],
    ids=lambda config: config.signature,
)
def test_the_bits_follow_from_the_page(config, tmp_path):
    episodes = draw_episodes(config, 3_000, np.random.default_rng(0))

    def send(window):
        noise = np.random.default_rng(1).random((len(window), 1)) < 0.3
        other = np.sort(window, axis=1)[:, -config.message_length :].clip(0) % config.vocab_size
        return np.where(noise, other, OracleSender(config).send(window))

    recording = record(Scripted(send), None, episodes, config)
    write_lexicon(letters_and_words(count(recording)), tmp_path / "lexicon.json")
    bits, content = (
        read_lexicon(tmp_path / "lexicon.json").bits,
        json.loads((tmp_path / "lexicon.json").read_text()),
    )
    program = Program(content)
    held_out = list(zip(recording.window.tolist(), map(tuple, recording.message.tolist()), strict=True))[
        9::10
    ]
    for name, read in (("words", program.by_words), ("letters", program.by_letters)):
        found = [program.bits(window, message, read) for window, message in held_out]
        total = sum(sum(by_place.values()) - repeated for by_place, repeated in found) / len(held_out)
        assert total == pytest.approx(content["bits"][name], abs=0.01)
        assert total == pytest.approx(getattr(bits, name), abs=0.01)
        for place, of_place in zip(
            [*config.offsets, "view"], content["bits"][f"{name}_by_place"], strict=True
        ):
            mean = sum(by_place.get(place, 0) for by_place, _ in found) / len(held_out)
            assert mean == pytest.approx(of_place, abs=0.01)
    often = np.array(list(Counter(map(tuple, recording.message.tolist())).values())) / len(recording)
    assert -(often * np.log2(often)).sum() == pytest.approx(content["bits"]["message"], abs=0.01)
    unknown = sum(message not in program.words for _, message in held_out) / len(held_out)
    assert unknown == pytest.approx(content["bits"]["unknown"])


# --- Files that cannot be read --------------------------------------------------------------------------


def changed(path, value):
    """Return a function that puts a value at a path into the content of a file."""

    def change(content):
        *parents, last = path
        for each in parents:
            content = content[each]
        content[last] = value

    return change


def moved(content):
    """Move a number from one letter's list to the next one's."""
    first, second, *_ = content["variables"][0]["letters"][0]
    second.append(first.pop())


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (changed(["kind"], "npmi-table"), 'kind must be "lexicon" (analyse without --select npmi makes one)'),
        (changed(["format_version"], 2), "format_version must be 1; got 2"),
        (changed(["messages", 0], [11, 11]), "messages must differ, and be in order; got others"),
        (changed(["message_episodes"], [1, 2]), "message_episodes must have shape ("),
        (changed(["message_episodes", 0], 0), "message_episodes must be at least 1; got [0, "),
        (changed(["message_episodes", 0], 1.5), "message_episodes must be whole numbers; got [1.5, "),
        (
            changed(["variables", 0, "place"], 9),
            "place must be one of [-4, -3, -2, -1, 1, 2, 3, 4, 'view'], each at most once; got 9",
        ),
        (lambda content: content["variables"].append(content["variables"][0]), "place must be one of ["),
        (moved, "letters must be 12 lists of values and their counts in turn; got 2 of an odd length"),
        (
            changed(["variables", 0, "pseudo_episodes", 0], -1e9),
            "pseudo_episodes must be at least 1e-09; got",
        ),
        (changed(["variables", 0, "letters_weight", 0], 7), "letters_weight must be in 0..1; got [7, "),
        (changed(["bits", "words"], "x"), "bits.words must be numbers; got 'x'"),
        (
            changed(["bits", "letters_by_place"], [1, 2]),
            "bits.letters_by_place must have shape (9,); got (2,)",
        ),
        (changed(["variables", 0, "words", 0], [12, 1]), "words must be "),
        (changed(["variables", 0, "prior_weight", 0], "x"), "prior_weight must be numbers; got ['x', "),
        (changed(["config", "vocab_size"], 30_000), "letters must be 30000 lists of values and their counts"),
        (lambda content: content.pop("bits"), "must have the field bits"),
    ],
)
def test_a_file_that_does_not_hold_together_is_refused_in_one_line(change, fault, tmp_path):
    config, path = GameConfig(12, num_distractors=2, vocab_size=12, message_length=2), tmp_path / "it.json"
    write_lexicon(lexicon_of(config, OracleSender(config).send, 1_000), path)
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content))
    with pytest.raises(LexiconError, match=re.escape(f"{path}: {fault}")) as error:
        read_lexicon(path)
    assert "\n" not in str(error.value)


def test_a_small_file_that_unpacks_to_a_large_one_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "it.json.gz"
    path.write_bytes(gzip.compress(b"[" + b" " * 9_999))
    monkeypatch.setattr(file, "MOST_UNPACKED", 9_999)
    with pytest.raises(LexiconError, match="must unpack to at most 0 MiB; unpack it first"):
        read_lexicon(path)
    monkeypatch.setattr(file, "MOST_UNPACKED", 10_000)
    with pytest.raises(LexiconError, match="not whole JSON"):
        read_lexicon(path)

"""Reading and speaking with descriptions, against slow twins that go through all windows and entries."""

import itertools
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lexicons import description_of, descriptions, entry

from spatial_game.config import GameConfig
from spatial_game.game.episodes import MASK, draw_episodes
from spatial_game.game.policies import OracleSender
from spatial_game.language.counting.columns import candidate_columns, window_columns
from spatial_game.language.counting.counts import count
from spatial_game.language.dictionary.lexicon import Lexicon
from spatial_game.language.dictionary.referents import Conjunction, Edge, Integer, IntegerAt, Offset, parts_of
from spatial_game.language.dictionary.words import Words
from spatial_game.language.players.choosing import Chooser
from spatial_game.language.players.compose import Composer
from spatial_game.language.players.decode import Decoder
from spatial_game.language.players.evidence import Evidence, shares
from spatial_game.language.players.held_out import read_held_out
from spatial_game.language.players.reading import UNREAD, in_words, legend, read_message
from spatial_game.language.players.suggesting import suggestions
from spatial_game.recording import record

CONFIG = GameConfig(12, window_radius=1, num_distractors=3, vocab_size=6)


def windows(config):
    """Every window of the game, with its share."""
    middle = config.sequence_length - 2 * config.window_radius
    for mask in range(config.window_size):
        weight = (middle if mask == config.window_radius else 1) / config.sequence_length
        cells = list(itertools.permutations(config.integers, config.window_size - 1))
        for shown in cells:
            yield (*shown[:mask], MASK, *shown[mask:]), weight / len(cells)


def holds(parts, window, config):
    mask = window.index(MASK)
    for part in parts:
        if isinstance(part, Edge):
            true = config.edges[mask] == part.name
        elif isinstance(part, IntegerAt):
            place = mask + part.offset
            true = 0 <= place < len(window) and window[place] in part.values
        else:
            true = any(value in window for value in part.values)
        if not true:
            return False
    return True


def share(parts, config):
    return sum(weight for window, weight in windows(config) if holds(parts, window, config))


def places(form, message):
    """The slots of a message at which a form stands."""
    size = len(form.symbols)
    return [
        slot
        for slot in range(len(message) - size + 1)
        if form.slot in (None, slot)
        and all(s in (None, m) for s, m in zip(form.symbols, message[slot : slot + size], strict=True))
    ]


def statements(lexicon, message):
    """What a message says: [(forms, parts, confidence, episodes)]."""
    there = [(each, slot) for each in lexicon.listed for slot in places(each.form, message)]
    words = [(e, s) for e, s in there if isinstance(e.referent, Integer)]
    offsets = [(e, s) for e, s in there if isinstance(e.referent, Offset)]
    pairs = [
        (word, offset)
        for (word, i), (offset, j) in itertools.product(words, offsets)
        if i + len(word.form.symbols) <= j or j + len(offset.form.symbols) <= i
    ]
    rank = {id(each): row for row, each in enumerate(lexicon.listed)}
    pairs.sort(key=lambda p: (-min(p[0].npmi, p[1].npmi), rank[id(p[0])], rank[id(p[1])]))
    best = [p for p in pairs if (p[0].form, p[1].form) == (pairs[0][0].form, pairs[0][1].form)]
    used = {pair[0].form for pair in best}
    total = sum(e.count for e in lexicon.listed if isinstance(e.referent, Offset))
    said = {}
    for word, offset in best:
        part = IntegerAt(word.referent.values, offset.referent.value)
        episodes = word.count / word.confidence * offset.count / total
        said[id(word), id(offset)] = (
            (word.form, offset.form), (part,), word.confidence * offset.confidence, episodes,
        )  # fmt: skip
    for each, _ in there:
        if not isinstance(each.referent, Offset) and not (
            isinstance(each.referent, Integer) and each.form in used
        ):
            episodes = each.count / each.confidence
            said[id(each),] = ((each.form,), parts_of(each.referent), each.confidence, episodes)
    return list(said.values())


def exclude(one, other, config):
    """Mere names of integers exclude nothing."""
    return share(one + other, config) == 0 and not any(isinstance(part, Integer) for part in one + other)


def groups(said, config):
    """Statements of the same forms that never hold together; others in parts."""
    found = []
    for one in said:
        for group in found:
            if all(one[0] == other[0] and exclude(one[1], other[1], config) for other in group):
                group.append(one)
                break
        else:
            found.append([one])
    return [
        part
        for group in found
        for part in (
            [group]
            if len(group) > 1
            else [[(f, (p,), c ** (1 / len(ps)), n)] for f, ps, c, n in group for p in ps]
        )
    ]


def evidence_of(lexicon, message, window):
    total, config = 0.0, lexicon.config
    for group in groups(statements(lexicon, message), config):
        sure = [(c * n + 0.5) / (n + 1) for _, _, c, n in group]
        p = [share(parts, config) for _, parts, _, _ in group]
        true = [holds(parts, window, config) for _, parts, _, _ in group]
        if any(true):
            total += math.log2(sure[true.index(True)] / p[true.index(True)])
        else:
            total += math.log2(max(1 - sum(sure), 1e-9) / max(1 - sum(p), 1e-9))
    return total


@settings(max_examples=25, deadline=None)
@given(descriptions(), st.integers(0, 2**32 - 1))
def test_evidence_is_what_the_twin_adds_up(lexicon, seed):
    config, rng = lexicon.config, np.random.default_rng(seed)
    episodes = draw_episodes(config, 6, rng)
    messages = rng.integers(0, config.vocab_size, (6, config.message_length))
    decoded = Decoder(lexicon).decode(messages, episodes.sequence, episodes.candidates)
    true = Decoder(lexicon).true_of(messages)(window_columns(config, episodes.window))
    for row, message in enumerate(messages.tolist()):
        sequence = episodes.sequence[row].tolist()
        for i, candidate in enumerate(episodes.candidates[row].tolist()):
            at = sequence.index(candidate)
            start = min(max(at - 1, 0), config.sequence_length - 3)
            window = tuple(MASK if j == at else sequence[j] for j in range(start, start + 3))
            wanted = evidence_of(lexicon, message, window)
            assert decoded.score[row, i] == pytest.approx(wanted, abs=1e-6)
        assert decoded.places[row] == bool(statements(lexicon, message))
        wanted = evidence_of(lexicon, message, tuple(episodes.window[row].tolist()))
        assert true[row, row] == (wanted > 0) or abs(wanted) < 1e-4


@settings(max_examples=25, deadline=None)
@given(descriptions())
def test_shares_are_exact(lexicon):
    meant = [parts_of(e.referent) for e in lexicon.listed if not isinstance(e.referent, Offset)]
    wanted = [share(parts, lexicon.config) for parts in meant]
    assert shares(meant, lexicon.config) == pytest.approx(wanted, abs=1e-9)


@settings(max_examples=25, deadline=None)
@given(descriptions(), st.booleans())
def test_what_is_said_speaks_for_the_window(lexicon, random):
    config = lexicon.config
    episodes = draw_episodes(config, 20, np.random.default_rng(0))
    choice = "random" if random else "strongest"
    said = Composer(lexicon).compose(episodes.window, choice, np.random.default_rng(1))
    columns = window_columns(config, episodes.window)
    true = Decoder(lexicon).true_of(said.message.clip(0))(columns)
    assert true[said.expressed, said.expressed.nonzero()[0]].all()
    assert (said.message[~said.expressed] == -1).all()
    assert not said.filled[~said.expressed].any()


def test_of_whole_messages_the_most_probable_is_said():
    rng = np.random.default_rng(0)
    messages = list(itertools.product(range(3), repeat=2))
    config = GameConfig(8, window_radius=1, num_distractors=1, vocab_size=3, message_length=2)
    lexicon = description_of(
        config,
        [
            entry(message, 0, IntegerAt(tuple(rng.permutation(8)[:3].tolist()), int(offset)),
                  confidence=0.9, count=int(rng.integers(20, 500)))
            for message in messages
            for offset in (-1, 1)
        ],
    )  # fmt: skip
    window = draw_episodes(config, 100, rng).window
    said = Composer(lexicon).compose(window)
    most = {m: max(e.count for e in lexicon.listed if e.form.symbols == m) for m in messages}
    for row, cells in enumerate(window.tolist()):
        score = {m: evidence_of(lexicon, m, tuple(cells)) for m in messages}
        best = max(score[m] + math.log2(most[m]) for m in messages)
        sent = tuple(said.message[row].tolist())
        if said.expressed[row]:
            assert score[sent] + math.log2(most[sent]) == pytest.approx(best)
            assert score[sent] > 0


def slot_language(config, noise=0.0):
    """The symbol at slot 0 names the left neighbour, the one at slot 1 the right one."""
    return description_of(
        config,
        [
            entry([k], slot, IntegerAt((k,), offset), confidence=1 - noise, count=500)
            for slot, offset in ((0, -1), (1, 1))
            for k in config.integers
        ],
    )


def bands(config):
    """Whole messages: a band one left and a band one right; and the first symbol's class two left."""
    width = 3
    entries = []
    for a, b in itertools.product(range(4), repeat=2):
        left, right = (tuple(range(width * k, width * k + width)) for k in (a, b))
        meaning = Conjunction((IntegerAt(left, -1), IntegerAt(right, 1)))
        entries.append(entry([a, b], 0, meaning, count=400, confidence=0.98))
    return description_of(config, entries)


@pytest.mark.parametrize("language", ["slots", "bands", "words"])
def test_what_is_composed_is_read_back(language):
    rng = np.random.default_rng(3)
    if language == "words":
        config = GameConfig(20, window_radius=1, num_distractors=3, vocab_size=26)
        lexicon = description_of(
            config,
            [entry([k], None, Integer((k,)), confidence=0.95) for k in config.integers]
            + [entry([24], None, Offset(-1), count=500), entry([25], None, Offset(1), count=500)],
        )
    else:
        config = GameConfig(12, window_radius=1, num_distractors=3, vocab_size=12, message_length=2)
        lexicon = slot_language(config) if language == "slots" else bands(config)
    episodes = draw_episodes(config, 500, rng)
    inside = episodes.mask_column == 1
    said = Composer(lexicon).compose(episodes.window)
    assert said.expressed[inside].all()
    decoded = Decoder(lexicon).decode(said.message.clip(0), episodes.sequence, episodes.candidates)
    unique = decoded.unique & inside
    assert unique[inside].mean() > (0.8 if language == "bands" else 0.95)
    assert (decoded.choice == episodes.target_index)[unique].all()
    if language == "slots":
        cells = episodes.window[inside]
        assert np.array_equal(said.message[inside], cells[:, [0, 2]])
        assert not said.filled[inside].any()


def test_free_slots_are_filled():
    config = GameConfig(12, window_radius=1, num_distractors=3, vocab_size=12)
    window = draw_episodes(config, 200, np.random.default_rng(0)).window
    said = Composer(slot_language(config), fillers=np.array([5, 5, 7])).compose(window)
    assert said.filled[said.expressed, 2].all()
    assert (said.message[said.expressed, 2] == 7).all()


def test_pieces_that_share_slots_are_put_together_as_well_as_any():
    rng = np.random.default_rng(0)
    config = GameConfig(8, window_radius=1, num_distractors=1, vocab_size=3)
    forms = [([a], s) for a in range(3) for s in range(3)] + [
        ([a, b], s) for a in range(3) for b in range(3) for s in (0, 1)
    ]
    forms += [([a, None, b], 0) for a in range(3) for b in range(3)]
    lexicon = description_of(
        config,
        [entry(symbols, slot, Edge("begin"), count=int(rng.integers(1, 90))) for symbols, slot in forms],
    )
    chooser = Chooser(Evidence(lexicon.listed, config), np.zeros(3, dtype=np.int16))
    score = rng.normal(size=(40, len(chooser.symbols))) * 4
    total = np.zeros(40)
    closed = np.zeros((40, 3), dtype=int)
    for rows, pieces in chooser._put_together(score):
        total[rows] += score[rows, pieces]
        closed[rows] += chooser.symbols[pieces] >= 0
    assert closed.max() <= 1
    total += (closed == 0).sum(axis=1) * chooser._free
    slots = [frozenset(np.flatnonzero(piece >= 0).tolist()) for piece in chooser.symbols]
    for row in range(40):
        best = {s: max(score[row, i] for i in range(len(slots)) if slots[i] == s) for s in set(slots)}
        wanted = max(
            sum(best[s] for s in some) + chooser._free * (3 - sum(map(len, some)))
            for n in range(4)
            for some in itertools.combinations(best, n)
            if sum(map(len, some)) == len(frozenset().union(*some))
        )
        assert total[row] == pytest.approx(wanted)


def test_senses_are_alternatives():
    config = GameConfig(10, window_radius=1, num_distractors=2, vocab_size=4, message_length=1)
    lexicon = description_of(
        config, [entry([0], 0, IntegerAt((k,), -1), confidence=0.5, count=1000) for k in (3, 7)]
    )
    sequence = np.array([[3, 0, 7, 1, 5, 2, 4, 6, 8, 9]])
    decoded = Decoder(lexicon).decode(np.array([[0]]), sequence, np.array([[0, 1, 2]]))
    p = share((IntegerAt((3,), -1),), config)
    assert decoded.score[0, :2] == pytest.approx(math.log2(0.5 / p), abs=0.01)
    assert decoded.score[0, 2] < -5
    assert decoded.ambiguous[0]
    assert in_words(lexicon, [0]) == "3 or 7 one left"


def test_reading_is_unique_ambiguous_or_none():
    config = GameConfig(10, window_radius=1, num_distractors=2, vocab_size=4, message_length=1)
    lexicon = description_of(config, [entry([0], 0, IntegerAt((3, 4, 5), -1), confidence=0.99, count=1000)])
    sequence = np.array([[3, 0, 7, 1, 5, 2, 4, 6, 8, 9]])
    decoder = Decoder(lexicon)
    found = [
        decoder.decode(np.array([[0]]), sequence, np.array([c])) for c in ([0, 1, 8], [0, 2, 8], [1, 7, 8])
    ]
    assert [bool(d.unique[0]) for d in found] == [True, False, False]
    assert [bool(d.ambiguous[0]) for d in found] == [False, True, False]
    assert [int(d.choice[0]) for d in found] == [0, 0, -1]
    assert not decoder.decode(np.array([[1]]), sequence, np.array([[0, 1, 8]])).decided[0]


def test_no_more_held_out_episodes_are_read_than_asked():
    episodes = draw_episodes(CONFIG, 1000, np.random.default_rng(0))
    recording = record(OracleSender(CONFIG), None, episodes, CONFIG)
    read = read_held_out(Lexicon.from_counts(count(recording)), [recording] * 3, most=150)
    assert read is not None
    assert read.episodes == 200


def test_integers_and_offsets_that_a_game_lacks_are_left_out():
    config = GameConfig(10, window_radius=2, num_distractors=2, vocab_size=4, message_length=2)
    entries = [
        entry([0, 1], 0, IntegerAt((3, 9), -1)),
        entry([1, 1], 0, IntegerAt((9,), -1)),
        entry([2, 2], 1, Edge("begin")),
        entry([3, 3], 0, Edge("begin")),
    ]
    small = GameConfig(8, window_radius=2, num_distractors=2, vocab_size=4, message_length=2)
    composer = Composer(description_of(config, entries), small)
    assert (composer.faults.misfits, composer.faults.outside) == (1, 1)
    assert composer.evidence.statements[0].parts == (IntegerAt((3,), -1),)


def test_kinds_cannot_be_chosen():
    with pytest.raises(ValueError, match="kinds can be chosen for lexicons selected by npmi only"):
        Composer(description_of(CONFIG, []), kinds=["edge"])


def test_an_empty_description_says_and_reads_nothing():
    lexicon, episodes = description_of(CONFIG, []), draw_episodes(CONFIG, 20, np.random.default_rng(0))
    assert Composer(lexicon).compose(episodes.window).coverage == 0
    messages = np.zeros((20, 3), dtype=int)
    assert not Decoder(lexicon).decode(messages, episodes.sequence, episodes.candidates).decided.any()
    assert Decoder(lexicon).read(messages[0]) == []
    assert in_words(lexicon, messages[0]) == UNREAD


def test_columns_of_candidates_and_windows_agree():
    lexicon = slot_language(GameConfig(12, window_radius=1, num_distractors=3, vocab_size=12), noise=0.05)
    config = lexicon.config
    episodes = draw_episodes(config, 50, np.random.default_rng(0))
    evidence, messages = Evidence(lexicon.listed, config), np.random.default_rng(1).integers(0, 12, (50, 3))
    said = evidence.of_messages(messages)
    columns = candidate_columns(config, episodes.sequence, episodes.target[:, None])
    alone = evidence.of_candidates(said, columns)[:, 0]
    assert np.diag(evidence.of_windows(said, window_columns(config, episodes.window))) == pytest.approx(
        alone, abs=1e-4
    )


# --- Words ----------------------------------------------------------------------------------------------

LONG = tuple(range(0, 40, 2))


def in_full():
    config = GameConfig(60, vocab_size=9)
    return description_of(
        config,
        [
            entry([1], 0, IntegerAt(LONG, -2)),
            entry([2], 0, IntegerAt(LONG, 2)),
            entry([1, 2, 3], 0, Conjunction((IntegerAt((1, 2, 3), -1), IntegerAt(tuple(range(20, 33)), 1)))),
            entry([1, 2], 0, IntegerAt(tuple(range(10)), -1)),
            entry([5, 5, 5], 0, Edge("end-1")),
            entry([6], None, Integer((18, 40))),
            entry([7], None, Offset(2)),
            entry([8, 8, 8], 0, Conjunction((IntegerAt((4,), -1), Edge("end")))),
            entry([8, 8, 8], 0, IntegerAt((6,), 1)),
        ],
    )  # fmt: skip


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ([1, 2, 3], "class A two left and 1-3 one left and 20-32 one right"),
        ([1, 2, 0], "class A two left and 0-9 one left"),
        ([2, 0, 0], "class A two right"),
        ([5, 5, 5], "the target is the second last"),
        ([0, 6, 7], "18 or 40 two right"),
        ([0, 6, 6], "18 or 40 near the target"),
        ([0, 0, 7], UNREAD),
        ([8, 8, 8], "either 4 one left and the target is the last, or 6 one right"),
    ],
)
def test_messages_in_words(message, words):
    lexicon = in_full()
    assert in_words(lexicon, message) == words
    readings = Decoder(lexicon).read(np.array(message))
    assert [reading.meaning for reading in readings] == ([] if words == UNREAD else [words])
    held = {each for statement in read_message(lexicon, message) for each in statement.entries}
    assert held <= set(lexicon.listed)


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ([1, 0, 0], "the target is the last or the second last"),
        ([1, 3, 3], "the target is the last"),
        ([1, 0, 4], "the target is the second last and 7 one right"),
        ([2, 2, 2], "the target is the last or the second last and 26 one left"),
        ([2, 2, 4], "26 one left and 7 one right and either 9 two left, or the target is the second"),
    ],
)
def test_senses_that_contradict_the_rest_are_left_out(message, words):
    beside = IntegerAt((26,), -1)
    last, second = (Conjunction((Edge(name), beside)) for name in ("end", "end-1"))
    entries = [
        entry([1], 0, Edge("end")),
        entry([1], 0, Edge("end-1")),
        entry([1, 3, 3], 0, Edge("end")),
        entry([1, 3, 3], 0, Edge("begin")),
        entry([4], 2, IntegerAt((7,), 1)),
        entry([2, 2, 2], 0, last),
        entry([2, 2, 2], 0, second),
        entry([2, 2, 4], 0, Conjunction((IntegerAt((9,), -2), beside))),
        entry([2, 2, 4], 0, Conjunction((Edge("begin+1"), beside))),
    ]
    assert in_words(description_of(GameConfig(60, vocab_size=9), entries), message) == words


def test_what_is_untrue_is_marked_for_each_part():
    window = np.array([4, 2, MASK, 50, 59])
    words = in_words(in_full(), [1, 2, 3], window)
    assert words == "class A two left and 1-3 one left and 20-32 one right (not so here)"


def test_classes_are_named_once_and_explained():
    words = Words(in_full().listed)
    assert words.legend == [f"class A: {', '.join(map(str, LONG[:-1]))} or 38"]
    assert words.of(IntegerAt((18, 40, 47), -1)) == "18, 40 or 47 one left"
    assert words.of(IntegerAt(tuple(range(1, 60, 3)), 1)) == "one of 20 integers one right"
    assert words.of(IntegerAt((5, 6), 3)) == "5 or 6 three right"


def test_the_legend_explains_the_classes_that_are_named():
    lexicon = in_full()
    assert [line[:8] for line in legend(lexicon, in_words(lexicon, [1, 2, 3]))] == ["class A:"]
    assert legend(lexicon, in_words(lexicon, [5, 5, 5])) == []


def test_suggestions_are_true_and_in_words():
    config = GameConfig(12, window_radius=1, num_distractors=3, vocab_size=12, message_length=2)
    lexicon = slot_language(config, noise=0.05)
    found = suggestions(Composer(lexicon), np.array([[3, MASK, 5]]))
    assert found[0] == ([3, 5], "3 one left and 5 one right")
    assert 1 <= len(found) <= 2


def test_no_suggestion_of_a_trained_pair_is_untrue():
    lexicon = Lexicon.read(
        Path(__file__).parents[3] / "agents/spatial_agents/pretrained/embed-60/05.lexicon.json"
    )
    composer, said = Composer(lexicon), 0
    for window in draw_episodes(lexicon.config, 4, np.random.default_rng(1)).window:
        for message, _ in suggestions(composer, window[None]):
            assert "not so here" not in in_words(lexicon, message, window)
            said += 1
    assert said >= 4

"""Reading and speaking with additive models, against the models themselves."""

import numpy as np
import pytest
from private_orders import private_order, random_model, recorded
from scipy.stats import spearmanr

from spatial_game.config import GameConfig
from spatial_game.game.episodes import HIDDEN, draw_episodes, window_around
from spatial_game.language.additive.description import AdditiveDescription
from spatial_game.language.additive.model import cells_of
from spatial_game.language.counting.columns import window_columns
from spatial_game.language.counting.counts import count
from spatial_game.language.dictionary.lexicon import Lexicon
from spatial_game.language.npmi.settings import Settings
from spatial_game.language.players.adding import first_symbol_table, scale_in_words
from spatial_game.language.players.compose import Composer
from spatial_game.language.players.decode import Decoder
from spatial_game.language.players.held_out import read_held_out
from spatial_game.language.players.reading import in_words, read_message, read_messages
from spatial_game.language.players.suggesting import suggestions

HIDING = GameConfig(9, window_radius=2, num_distractors=2, vocab_size=4, message_length=3, num_visible=2)


def lexicon_of(model):
    found = AdditiveDescription(model, 3.0, 2.0, None, (1.0,) * 3, 1.0)
    return Lexicon(model.config, Settings(select="additive"), (), "made by hand", additive=found)


@pytest.mark.parametrize("config", [None, HIDING])
def test_evidence_is_that_of_the_window_around_each_candidate(config):
    model, rng = random_model(4, config), np.random.default_rng(0)
    episodes = draw_episodes(model.config, 10, rng)
    messages = model.messages[rng.integers(0, len(model.messages), 10)].copy()
    messages[0] = 3 - messages[0]
    decoder = Decoder(lexicon_of(model))
    decoded = decoder.decode(messages, episodes.sequence, episodes.candidates)
    ids = model.ids(messages)
    assert np.array_equal(decoded.places, ids >= 0)
    for row, candidates in enumerate(episodes.candidates.tolist()):
        for i, candidate in enumerate(candidates):
            sequence = episodes.sequence[row : row + 1]
            position = np.flatnonzero(sequence[0] == candidate)
            window, _ = window_around(model.config, sequence, position)
            cells = cells_of(model.config, window)
            bits = model.evidence(cells, ids[row : row + 1])[0] if ids[row] >= 0 else 0.0
            assert decoded.score[row, i] == pytest.approx(bits)
    columns = window_columns(model.config, episodes.window)
    true = decoder.true_of(messages)(columns)
    every = model.message_bits(model.scores(episodes.window)) - np.log2(model.share)
    for row, number in enumerate(ids.tolist()):
        assert true[:, row].tolist() == ((every[:, number] > 0) & (number >= 0)).tolist()


def test_the_most_probable_message_is_spoken_or_one_as_often_as_it_is_probable():
    model = random_model(5)
    window = draw_episodes(model.config, 30, np.random.default_rng(0)).window
    composer = Composer(lexicon_of(model))
    said = composer.compose(window)
    bits = model.message_bits(model.scores(window))
    assert said.message.tolist() == model.messages[bits.argmax(axis=1)].tolist()
    assert said.expressed.all()
    assert not said.filled.any()
    many = composer.compose(np.repeat(window[:1], 4000, axis=0), "random", np.random.default_rng(1))
    share = np.bincount(model.ids(many.message), minlength=len(model.messages)) / 4000
    assert share == pytest.approx(np.exp2(bits[0]), abs=0.03)


def test_a_known_language_is_read_and_spoken():
    sender = private_order(2, 2, 0.0)
    recording = recorded(sender, sender.config, 20_000)
    lexicon = Lexicon.from_counts(count(recording), select="additive", rng=np.random.default_rng(0))
    read = read_held_out(lexicon, [recording])
    assert read is not None
    assert read.right > 0.97
    assert (Composer(lexicon).compose(recording.window[:500]).message == recording.message[:500]).mean() > 0.9
    ranked = np.argsort(lexicon.additive.model.values[0])
    halves = {tuple(sorted(ranked[:15].tolist())): "low", tuple(sorted(ranked[15:].tolist())): "high"}
    for message in np.unique(recording.message, axis=0)[:10]:
        for statement in read_message(lexicon, message):
            word = str(statement).split()[0]
            assert word == "the" or halves[statement.referent.values] == word
    assert "," not in in_words(lexicon, recording.message[0])
    for message, words in suggestions(Composer(lexicon), recording.window[:1]):
        assert in_words(lexicon, message, recording.window[0]) == words


def test_sentences_name_the_ends_of_the_scale_the_places_and_the_symbols():
    model = random_model(6, values=1)
    ranked = np.argsort(model.values[0], kind="stable").tolist()
    scale, size, places, *symbols = scale_in_words(model)
    a, b, c = ranked[:-4:-1]
    assert scale.startswith(
        f"Integers are told by a scale of this language's own: {a}, {b} and {c} are highest, "
    )
    assert scale.endswith("{}, {} and {} lowest.".format(*ranked[:3]))
    rho = spearmanr(model.values[0], np.arange(9)).statistic
    assert size.endswith(f"(rank correlation {rho:.2f}).")
    left, right = ((model.weights[0, place] ** 2).sum() for place in (0, 2))
    names = ["one left", "one right"] if left > right else ["one right", "one left"]
    shares = sorted((left / (left + right), right / (left + right)), reverse=True)
    expected = "; then ".join(f"{n} ({s:.0%} of the sums)" for n, s in zip(names, shares, strict=True))
    assert places == f"What counts most stands {expected}."
    rows = {row[0]: row[2] for row in first_symbol_table(model).rows}
    for sentence in symbols:
        symbol = int(sentence.split()[1])
        assert sentence.endswith(f": {rows[symbol]}.")


def test_a_message_that_the_model_cannot_say_has_no_meaning():
    model = random_model(0)
    unknown = next(m for m in np.ndindex(4, 4, 4) if list(m) not in model.messages.tolist())
    assert read_messages(lexicon_of(model), np.array([unknown])) == [()]


def test_hidden_cells_of_the_sender_count():
    model = random_model(1, HIDING)
    window = draw_episodes(HIDING, 5, np.random.default_rng(0)).window
    assert (window == HIDDEN).any()
    bits = model.message_bits(model.scores(window))
    said = Composer(lexicon_of(model)).compose(window).message
    assert said.tolist() == model.messages[bits.argmax(axis=1)].tolist()


def test_a_lexicon_is_additive_exactly_where_its_settings_say_so():
    with pytest.raises(ValueError, match="must have the field additive if select is additive"):
        Lexicon(HIDING, Settings(select="additive"), (), "made by hand")


def test_a_lexicon_without_entries_is_no_empty_one_if_it_has_a_model():
    assert lexicon_of(random_model(0))
    assert not Lexicon(HIDING, Settings(), (), "made by hand")


def test_a_lexicon_file_keeps_the_model(tmp_path):
    lexicon = lexicon_of(random_model(2))
    for name in ("a.json", "a.json.gz"):
        lexicon.write(tmp_path / name)
        again = Lexicon.read(tmp_path / name)
        assert again.to_dict() == lexicon.to_dict()
    text = (tmp_path / "a.json").read_text()
    (tmp_path / "half.json").write_text(text[: len(text) // 2])
    with pytest.raises(ValueError, match=r"half.json: not a whole JSON file"):
        Lexicon.read(tmp_path / "half.json")
    (tmp_path / "nan.json").write_text(text.replace('"noise":0.03125', '"noise":NaN'))
    with pytest.raises(ValueError, match=r"nan.json: noise must be a number"):
        Lexicon.read(tmp_path / "nan.json")

"""Who understands whom, untranslated and translated, on languages whose messages are known."""

from dataclasses import replace

import numpy as np
import pytest
from known_languages import known_agents, known_language

from spatial_game.config import GameConfig
from spatial_game.game.episodes import draw_episodes
from spatial_game.game.policies import Agents, RandomReceiver, RandomSender
from spatial_game.language import build_dictionary, count
from spatial_game.language.comparison import LISTED
from spatial_game.proportions import Proportion
from spatial_game.recording import record
from spatial_game.studies.sides import Direction, Side
from spatial_game.studies.translation import translation
from spatial_game.studies.translation_text import bilingual, sentences

CONFIG = GameConfig()


def side(pair, num_episodes=20_000):
    episodes = draw_episodes(pair.config, num_episodes, np.random.default_rng(2))
    dictionary = build_dictionary(count(record((pair.sender, None), episodes, pair.config)))
    return Side(dictionary, pair)


def verdicts(study):
    return [study.results[name]["verdict"] for name in ("a_to_b", "b_to_a")]


@pytest.fixture(scope="module")
def same():
    """Two languages with the same concepts: in the second, the symbols stand in the reverse order."""
    one = known_language("compositional", CONFIG, np.random.default_rng(2))
    other = [replace(saying, messages=saying.messages[..., ::-1]) for saying in one.sayings]
    return [side(known_agents(each, by_rule=True)) for each in (one, replace(one, sayings=tuple(other)))]


def test_the_same_concepts_in_other_words_are_understood_once_translated(same):
    study = translation(*same, 1_000)
    assert verdicts(study) == ["the same concepts in other words"] * 2
    for direction in ("a_to_b", "b_to_a"):
        figures = study.results[direction]
        assert figures["translated"]["accuracy"] > 0.97
        assert figures["to_itself"]["accuracy"] > 0.97
        assert figures["own"]["accuracy"] == 1
        of_edges = 0.8 * 4 / 60  # edges are said alike
        for name, expected in {"untranslated": 0.2 + of_edges, "shuffled": 0.2}.items():
            assert figures[name]["accuracy"] == pytest.approx(expected, abs=0.05)
    assert study.summary.startswith("They have the same concepts in other words. A's messages lead B's ")


def test_a_language_has_the_same_words_as_itself(same):
    study = translation(same[0], same[0], 500)
    assert verdicts(study) == ["the same concepts in the same words"] * 2
    assert study.results["same_words"]


def test_concepts_that_a_language_lacks_are_not_understood(same):
    """Classes of three neighbours are no integer at an offset."""
    classes = known_language("classes", CONFIG, np.random.default_rng(2))
    study = translation(same[0], side(known_agents(classes, by_rule=True), 10_000), 500)
    assert {*verdicts(study)} <= {"other concepts", "partly the same concepts"}
    assert study.results["b_to_a"]["scaled"] < 0.7


def test_recordings_speak_and_read_by_their_dictionaries(same):
    by_itself = Side(same[1].dictionary)
    study = translation(same[0], by_itself, 1_000)
    assert verdicts(study) == ["the same concepts in other words"] * 2
    assert study.summary.endswith("B has no agents here: its dictionary speaks and reads for them.")


def test_of_a_receiver_that_does_not_understand_itself_nothing_is_said(same):
    rng = np.random.default_rng(0)
    guessing = Agents(RandomSender(CONFIG, rng), RandomReceiver(CONFIG, rng), CONFIG)
    study = translation(same[0], side(guessing, 1_000), 500)
    assert study.results["a_to_b"]["verdict"] == "cannot say"
    assert study.results["a_to_b"]["scaled"] is None
    assert study.summary.startswith("Cannot say whether they have the same concepts: one hardly")
    assert "one hardly understands itself" in study.summary


@pytest.mark.parametrize(
    ("trials", "right", "verdict"),
    [
        (20, 12, "cannot say"),  # half the way, and the interval reaches from 20% to 73% of it
        (2_000, 1_200, "partly the same concepts"),
        (20, 4, "other concepts"),
        (20, 20, "the same concepts in other words"),
    ],
)
def test_a_verdict_needs_an_interval_that_does_not_hold_both_answers(trials, right, verdict):
    own, none = Proportion(trials, trials), Proportion(trials // 5, trials)
    one = Direction(none, Proportion(right, trials), none, own, own, 0.2)
    assert one.verdict == verdict
    assert ("too few episodes were played (20)" in sentences(one, one, [])) == (verdict == "cannot say")


def test_the_bilingual_list_has_the_most_frequent_messages_with_their_translations(same):
    table = bilingual(same[0].dictionary, same[1].dictionary)
    assert len(table.rows) == LISTED
    shares = [row[2] for row in table.rows]
    episodes = same[0].dictionary.episodes
    assert shares == sorted(episodes / episodes.sum(), reverse=True)[:LISTED]
    reversed_words = [" ".join(reversed(row[1].split())) == row[3] for row in table.rows]
    assert np.mean(reversed_words) > 0.9


@pytest.mark.parametrize(("right", "perhaps"), [(480, " (perhaps other concepts)"), (600, "")])
def test_a_verdict_near_a_border_says_what_its_interval_includes(right, perhaps):
    own, none = Proportion(1_000, 1_000), Proportion(200, 1_000)
    one = Direction(none, Proportion(right, 1_000), none, own, own, 0.2)
    assert sentences(one, one, []).startswith(f"They have partly the same concepts{perhaps}. A's")


def test_a_language_that_is_understood_as_it_is_sent_has_the_same_words_though_dictionaries_translate_badly():
    own, badly = Proportion(1_000, 1_000), Proportion(700, 1_000)
    one = Direction(own, badly, Proportion(200, 1_000), own, badly, 0.2)
    assert one.verdict == "the same concepts in the same words"


def test_each_direction_has_its_verdict_and_the_better_one_leads():
    own, none = Proportion(1_000, 1_000), Proportion(200, 1_000)
    there, back = (Direction(none, Proportion(n, 1_000), none, own, own, 0.2) for n in (620, 900))
    assert sentences(there, back, []).startswith(
        "From B to A, they have the same concepts in other words; from A to B, partly the same concepts. A's"
    )

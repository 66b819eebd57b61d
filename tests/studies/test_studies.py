"""Studies of pairs whose behaviour is known, and of the oracle, which is always understood."""

import json
import re

import numpy as np
import pytest
from helpers.held_out_windows import number_shown

from spatial_agents import load_pair
from spatial_game.config import GameConfig
from spatial_game.game.checking import check_episodes
from spatial_game.game.combinations import draw_combinations
from spatial_game.game.episodes import HIDDEN, draw_episodes, window_around
from spatial_game.game.oracle import OracleReceiver, OracleSender
from spatial_game.game.policies import Agents, RandomReceiver, RandomSender
from spatial_game.proportions import share_interval
from spatial_game.studies import unseen as unseen_module
from spatial_game.studies.channel_noise import RATES, channel_noise
from spatial_game.studies.cross_play import cross_play
from spatial_game.studies.lengths import other_lengths, shorter_game
from spatial_game.studies.study import share_by_window
from spatial_game.studies.unseen import two_that_show, unseen_study

CONFIG = GameConfig(20)


def oracle(config=CONFIG, sender=None, receiver=None):
    return Agents(sender or OracleSender(config), receiver or OracleReceiver(config), config)


@pytest.mark.parametrize(
    "study",
    [
        lambda pair, n: cross_play({"a": pair}, n),
        other_lengths,
        channel_noise,
    ],
)
def test_random_agents_are_at_chance_and_zero_episodes_are_refused(study):
    rng = np.random.default_rng(0)
    pair = Agents(RandomSender(CONFIG, rng), RandomReceiver(CONFIG, rng), CONFIG)
    found = json.dumps(study(pair, 5_000).to_dict())
    shares = [float(share) for share in re.findall(r'"accuracy": ([\d.]+)', found)]
    assert shares
    assert all(abs(share - 0.2) < 0.03 for share in shares)
    with pytest.raises(ValueError, match="num_episodes must be at least 1; got 0"):
        study(pair, 0)


# --- Cross-play -----------------------------------------------------------------------------------------


class Shifted:
    """The oracle's language with every symbol replaced by the next: nobody else understands it."""

    def send(self, window):
        return (OracleSender(CONFIG).send(window) + 1) % CONFIG.vocab_size

    def choose(self, messages, sequence, candidates):
        return OracleReceiver(CONFIG).choose((messages - 1) % CONFIG.vocab_size, sequence, candidates)


def test_partners_understand_each_other_and_strangers_do_not():
    """The sender c speaks as a and b do, and d as c hears."""
    pairs = {"a": oracle(), "b": oracle(), "c": oracle(receiver=Shifted()), "d": oracle(sender=Shifted())}
    study = cross_play(pairs, 3_000, seed=3)
    result = study.results
    share = np.array([[part["accuracy"] for part in row] for row in result["accuracy"]])
    understood = [[1, 1, 0, 1], [1, 1, 0, 1], [1, 1, 0, 1], [0, 0, 1, 0]]
    assert (share == 1).astype(int).tolist() == understood
    assert (share[share < 1] < 0.3).all()
    assert result["strangers_mean"] == pytest.approx(share[~np.eye(4, dtype=bool)].mean())
    assert "| a | 100.0% | 100.0% |" in study.table.to_markdown()
    alone = cross_play({"a": oracle()}, 10)
    assert alone.results["strangers_mean"] is None
    assert ("strangers" in study.summary, "strangers" in alone.summary) == (True, False)


def test_cross_play_needs_one_game_that_all_can_play():
    pairs = {"a": oracle(), "b": oracle(GameConfig(30))}
    assert cross_play(pairs, 10, config=GameConfig(18)).config.sequence_length == 18
    fewer = {"b": load_pair("embed-60")}
    for given_pairs, config, fault in (
        (pairs, None, r"pairs must be of one game, or the game be given; got L20 .*; L30"),
        (pairs, GameConfig(20, vocab_size=27), r"a must suit the game .*vocab_size must be 26.*; got 27"),
        (fewer, GameConfig(70), r"b must suit the game .*num_integers must be at most 60.*; got 70"),
    ):
        with pytest.raises(ValueError, match=fault):
            cross_play(given_pairs, 10, config=config)


# --- Lengths and noise ------------------------------------------------------------------------------------


def test_the_oracle_plays_any_length():
    for integers in ("first", "any"):
        lengths = other_lengths(oracle(), 400, integers=integers).results["shortened_by"]
        assert {less: part["accuracy"] for less, part in lengths.items()} == {"0": 1, "5": 1, "10": 1}
        assert lengths["10"]["difference"] == 0
        low, high = lengths["10"]["difference_interval"]
        assert -0.015 < low < 0 < high < 0.015
    with pytest.raises(ValueError, match="integers must be first or any; got 'last'"):
        other_lengths(oracle(), 10, integers="last")


def test_shorter_games_of_a_pair():
    assert shorter_game(GameConfig(60), 40) == GameConfig(20)
    assert shorter_game(GameConfig(60), 40, "any") == GameConfig(20, num_integers=60)
    assert shorter_game(GameConfig(20), 15) == GameConfig(5)
    assert shorter_game(GameConfig(20), 16) is None
    assert shorter_game(GameConfig(20, num_distractors=9), 11) is None  # ten candidates in nine places
    with pytest.raises(ValueError, match=r"shape must have one axis to be shortened; got \(8, 8\)"):
        shorter_game(GameConfig(shape=(8, 8)), 5)


def test_noise_hits_each_slot_and_more_noise_hits_more():
    seen = []

    class Listening(OracleReceiver):
        def choose(self, messages, sequence, candidates):
            seen.append(messages.copy())
            return super().choose(messages, sequence, candidates)

    channel_noise(oracle(receiver=Listening(CONFIG)), 500, seed=1)
    (sent, *_, every), by_slot = seen[: len(RATES)], seen[len(RATES) :]
    assert (every != sent).all()
    for rate, fewer, more in zip(RATES[1:], seen, seen[1:], strict=False):
        assert ((fewer != sent) <= (more != sent)).all()
        assert (more[more != sent] == every[more != sent]).all()
        assert np.mean(more != sent) == pytest.approx(rate, abs=0.03)
    for slot, heard in enumerate(by_slot):
        assert (heard != sent).all(axis=0).tolist() == [s == slot for s in range(3)]


# --- Held out -------------------------------------------------------------------------------------------


GAMES = [
    GameConfig(30, num_integers=40),
    GameConfig(20, num_visible=1),
    GameConfig(shape=(4, 4, 4), window_radius=1, num_visible=2),
]


@pytest.mark.parametrize("config", GAMES, ids=lambda config: config.signature)
def test_both_candidates_show_only_chosen_combinations_where_the_sender_sees(config):
    chosen = draw_combinations(config, 0.3, 1)
    sequence = draw_episodes(config, 200, np.random.default_rng(2)).sequence
    episodes = two_that_show(chosen, sequence, np.random.default_rng(3))
    assert len(episodes) > 40
    check_episodes(config.changed(num_distractors=1), episodes)
    middle = config.window_size // 2
    assert (episodes.mask_column == middle).all()
    shown = config.num_visible or config.window_size - 1
    assert (number_shown(chosen, episodes.window) == shown).all()
    places = (episodes.sequence[:, None] == episodes.candidates[..., None]).argmax(axis=2)
    for place in places.T:
        window, mask = window_around(config, episodes.sequence, place)
        assert (mask == middle).all()
        window[episodes.window == HIDDEN] = HIDDEN
        assert (number_shown(chosen, window) == shown).all()
    assert 0.3 < episodes.target_index.mean() < 0.7


@pytest.mark.parametrize(
    "config",
    [
        GameConfig(5, num_integers=40, num_distractors=1, vocab_size=30),  # one target is in the middle
        GameConfig(6, num_integers=40, num_distractors=1, vocab_size=30),
        GameConfig(shape=(3, 3), window_radius=1, num_integers=90, num_visible=1, vocab_size=90),
    ],
    ids=lambda config: config.signature,
)
def test_a_game_without_room_for_two_windows_has_no_answer(config):
    assert unseen_study(oracle(config), 0.3, 0, 200).summary.startswith("cannot say: ")


def test_without_an_ordinary_window_there_is_no_answer(monkeypatch):
    monkeypatch.setattr(unseen_module, "FEWEST_EPISODES", 1)
    monkeypatch.setattr(unseen_module, "FEWEST_WINDOWS", 1)
    config = GameConfig(shape=(6, 3, 3), window_radius=1, num_visible=1, vocab_size=300, num_distractors=1)
    found = [unseen_study(oracle(config), 0.3, 0, 4, seed=seed).results["seen"] for seed in range(8)]
    assert {part["accuracy"] is None for part in found if part["n"]} == {True, False}


def test_the_oracle_understands_new_combinations_but_not_shuffled_messages():
    found = unseen_study(oracle(), 0.3, 4, 4_000)
    for part in (found.results["never_seen"], found.results["seen"]):
        assert part["accuracy"] == 1
        assert 100 < part["windows"] < part["n"]
        assert share_interval(part["windows"], part["windows"])[0] > part["low"] > 0.95
        assert part["high"] == 1
        assert [part["shuffled"], part["elsewhere"]] == pytest.approx([0.5, 0.5], abs=0.06)
    assert "cannot say" not in found.summary
    assert (found.results["combinations"], found.results["candidates"]) == (8 * 6, 2)
    assert found.to_dict()["chance"] == 0.5


def test_windows_are_the_trials_of_an_interval_and_few_if_one_of_them_is_frequent():
    window = np.repeat([0, 1, 2, 3], 10)
    assert share_by_window(window > 0, window) == (0.75, *share_interval(3, 4))
    uneven = np.repeat([0, 1, 2, 3], [97, 1, 1, 1])
    assert share_by_window(uneven > 0, uneven) == (0.03, *share_interval(0.03, 1))
    weight = 1 / np.bincount(uneven)[uneven]
    assert share_by_window(uneven > 0, uneven, weight) == pytest.approx((0.75, *share_interval(3, 4)))


def test_a_sender_that_stumbles_over_new_combinations_is_found_out():
    """It says nonsense as soon as all cells are new, and only then."""
    held = draw_combinations(CONFIG, 0.3, 4)

    class Stumbling(OracleSender):
        def send(self, window):
            said = super().send(window)
            return np.where((number_shown(held, window) == 4)[:, None], np.int16(25), said)

    found = unseen_study(oracle(sender=Stumbling(CONFIG)), 0.3, 4, 2_000).results
    assert found["never_seen"]["accuracy"] == pytest.approx(0.5, abs=0.1)
    assert found["seen"]["accuracy"] == 1


def test_of_few_windows_nothing_is_said(monkeypatch):
    """Four new cells of 20 integers are at most 16 windows."""
    monkeypatch.setattr(unseen_module, "FEWEST_WINDOWS", 17)
    study = unseen_study(oracle(), 0.1, 0, 2_000)
    part = study.results["never_seen"]
    assert (part["windows"], part["accuracy"]) == (16, None)
    assert study.table.cells[0][4] == "cannot say"
    fewest = "fewer than 100 episodes, or 17 different windows"
    assert f'cannot say: {fewest}, have two fitting candidates for "never seen' in study.summary

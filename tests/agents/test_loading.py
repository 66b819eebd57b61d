"""Whatever can play becomes agents, in the same way everywhere. (Partners: tests/envs/test_partners.py.)"""

import copy
import pickle
import re
import sys
import warnings
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import spatial_agents
from spatial_game import Agents, GameConfig, OracleReceiver, OracleSender, evaluate, load_agents
from spatial_game.envs.roles import ReceiverEnv, SenderEnv
from spatial_game.errors import AgentsFailed, GameAssumed

TWENTY = GameConfig(20)


class Both:
    """The oracle's code, by an object that plays both roles; called with the game."""

    def __init__(self, config):
        self.config = config
        self.send, self.choose = OracleSender(config).send, OracleReceiver(config).choose


class OfTwenty(Both):
    """The same, for 20 integers; called without arguments."""

    config = TWENTY

    def __init__(self):
        super().__init__(TWENTY)


TWO = OracleSender(TWENTY), OracleReceiver(TWENTY)


WAYS = {
    "oracle": ("oracle", 60),
    "a bundled name": ("paper-20", 20),
    "a weights file": (Path(spatial_agents.__file__).parent / "pretrained/paper-20/00.safetensors", 20),
    "a loaded pair": (spatial_agents.load_pair("paper-20"), 20),
    "an object with both halves": (SimpleNamespace(sender=TWO[0], receiver=TWO[1]), 20),
    "a sender and a receiver": (TWO, 20),
    "a sender, and the name of a receiver": ((TWO[0], "oracle"), 20),
    "an object that plays both roles": (Both(TWENTY), 20),
    "a class": (Both, 60),
    "a class with a game": (OfTwenty, 20),
    "the name of a class": (f"{__name__}:OfTwenty", 20),
    "a function that returns a sender and a receiver": (lambda: TWO, 20),
    "a function that returns a name": (lambda: ("oracle", f"{__name__}:OfTwenty"), 20),
    "the name of a sender and a receiver": (f"{__name__}:TWO", 20),
}


@pytest.fixture(autouse=True)
def importable(monkeypatch):
    monkeypatch.setitem(sys.modules, __name__, SimpleNamespace(OfTwenty=OfTwenty, Both=Both, TWO=TWO))


@pytest.mark.parametrize(("given", "length"), WAYS.values(), ids=WAYS)
def test_each_way_plays_its_own_game(given, length):
    agents = load_agents(given)
    assert agents.config.sequence_length == length
    assert evaluate(given, num_episodes=300).accuracy > 0.9
    for env in (ReceiverEnv, SenderEnv):
        assert env(given).config.sequence_length == length


def test_a_game_may_be_given():
    for given in ("oracle", Both, f"{__name__}:Both", ("oracle", "oracle")):
        assert load_agents(given, TWENTY, num_distractors=2).config == TWENTY.changed(num_distractors=2)
        assert evaluate(given, TWENTY, num_episodes=200).accuracy == 1
        assert evaluate(given, game="small", num_episodes=200).config == GameConfig.small()
    assert SenderEnv(Both, sequence_length=12).partner.config.sequence_length == 12


@pytest.mark.parametrize(
    ("given", "text"),
    [
        (f"{__name__}:Neither", "agents must be a class or a function that can be imported; got"),
        (TWO[0], "or have a method choose() to play the receiver; got <"),
        ([*TWO], "agents must be one pair, or a tuple (sender, receiver); a list is for partner="),
        (3, "or have a method send() to play the sender; got 3"),
        ((TWO[0], OracleReceiver(GameConfig(8, vocab_size=9))), "agents must suit the game: vocab_size"),
        (lambda one, two, three: None, "called with the game; <lambda> takes (one, two, three)"),
        (SimpleNamespace(predict=None, get_env=lambda: None), "a model without its environment"),
        (
            SimpleNamespace(
                predict=None,
                get_env=lambda: SimpleNamespace(
                    get_attr={"agent": ["receiver_0"], "partner": [["oracle", "random"]]}.get
                ),
            ),
            "must be (sender, receiver) for a model that was trained with several partners; got",
        ),
    ],
)
def test_what_cannot_play_is_refused(given, text):
    with pytest.raises(ValueError, match=re.escape(text)):
        load_agents(given)


@pytest.mark.parametrize(
    ("given", "rule"),
    [
        ("oracel", 'must be "oracle", "random", a bundled pair (embed-60, '),
        (("oracle", "oracel"), 'must be "oracle", "random", a bundled pair (embed-60, '),
        ("nowhere:Agent", "must be a class or a function that can be imported; got nowhere:Agent (No module"),
        ("model.zip", "must not be a file of Stable-Baselines3"),
        ("play.parquet", "must be a pair or other agents, not a recording of them; got play.parquet"),
        (TWO[:1], "must be a sender and a receiver; got 1 of them"),
        (lambda one, two: None, "must be a class or a function that can be called with the game; <lambda>"),
    ],
)
def test_an_error_names_the_argument_of_the_caller(given, rule):
    env = SenderEnv()
    for argument, door in {
        "agents": load_agents,
        "partner": SenderEnv,
        "partner ": lambda given: setattr(env, "partner", given),
    }.items():
        with pytest.raises(ValueError, match=re.escape(f"{argument.strip()} {rule}")):
            door(given)
    assert env.partner == "oracle"


def test_errors_of_agents_that_are_named_by_their_module_name_them(monkeypatch):
    careless = SimpleNamespace(send=lambda window: 1 / 0, choose=TWO[1].choose)
    monkeypatch.setattr(sys.modules[__name__], "careless", careless, raising=False)
    with pytest.warns(GameAssumed, match=r":careless names no game .* assumed, L60 w2 c5 \| v26x3$"):
        agents = load_agents(f"{__name__}:careless")
    with pytest.raises(AgentsFailed, match=r":careless failed in the game .* \(assumed\): ZeroDivisionError"):
        agents.sender.send(np.zeros((1, 5), np.int16))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        load_agents(f"{__name__}:careless", TWENTY)


def test_the_full_game_is_assumed_only_where_nobody_names_one():
    assert load_agents("oracle").assumes_game
    assert not load_agents("oracle", TWENTY).assumes_game
    assert not load_agents("oracle", game="small").assumes_game
    assert load_agents("oracle", shape=None, game=None).assumes_game
    assert not load_agents(OfTwenty).assumes_game


def test_the_game_that_is_assumed_is_said():
    nameless = SimpleNamespace(send=TWO[0].send, choose=TWO[1].choose)
    for given in (nameless, ("random", nameless)):
        with pytest.warns(GameAssumed, match="names no game .* the paper's full game is assumed, L60 w2 c5"):
            load_agents(given)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for quiet in ("oracle", "random", (nameless, "paper-20")):
            load_agents(quiet)


def test_a_function_that_may_take_the_game_is_given_one_that_is_named():
    def either(config=TWENTY):
        return Both(config)

    assert load_agents(either).sender.config == TWENTY
    assert load_agents(either, num_integers=None).sender.config == TWENTY
    for game in (TWENTY.changed(vocab_size=30), GameConfig.small()):
        assert load_agents(either, game).sender.config == game
    assert load_agents(either, game="small").sender.config == GameConfig.small()


def test_agents_know_their_name_and_the_files_of_a_pair():
    pair = load_agents("paper-20")
    weights = Path(spatial_agents.__file__).parent / "pretrained/paper-20/00.safetensors"
    assert pair.paths == (weights, weights.with_suffix(".json"))
    assert pair.dictionary_file == weights.with_suffix(".dictionary.json.gz")
    assert pair.identity == {
        "policy": "pair",
        "name": "paper-20",
        "index": 0,
        "weights_hash": spatial_agents.load_pair("paper-20").weights_hash,
    }
    assert pair.name == "paper-20/0"
    for given, name in (("oracle", "oracle"), (f"{__name__}:OfTwenty", f"{__name__}:OfTwenty")):
        agents = load_agents(given)
        assert (agents.name, agents.identity) == (name, {"policy": name})
        assert (agents.paths, agents.dictionary_file) == ((), None)
    assert (load_agents(Both).name, load_agents(Both).identity) == ("agents without a name", {})
    own = replace(spatial_agents.load_pair("paper-20"), files=None)  # made, not loaded
    assert type(load_agents(own)) is spatial_agents.Pair
    assert load_agents(own).paths == ()


def test_a_class_of_ones_own_under_agents_may_have_other_arguments():
    class Mine(Agents):
        def __init__(self):
            super().__init__(*TWO, TWENTY, card={"name": "mine"})

    mine = load_agents(Mine)
    assert type(mine) is Agents
    assert (mine.sender, mine.config, mine.card) == (TWO[0], TWENTY, {"name": "mine"})


def test_the_name_of_a_game_is_no_config():
    with pytest.raises(
        TypeError, match=r"config must be GameConfig, as GameConfig\.small\(\) returns; got 'small'"
    ):
        load_agents("oracle", "small")


def test_agents_that_are_named_by_their_module_can_be_copied(monkeypatch):
    monkeypatch.setattr(sys.modules[__name__], "both", Both(TWENTY), raising=False)
    agents = load_agents(f"{__name__}:both")
    window = np.zeros((2, 5), np.int16)
    for again in (copy.deepcopy(agents), pickle.loads(pickle.dumps(agents))):
        assert again.sender.config == TWENTY
        np.testing.assert_array_equal(again.sender.send(window), agents.sender.send(window))


def test_a_module_that_fails_while_it_is_imported_says_so_itself(tmp_path, monkeypatch):
    (tmp_path / "unfinished.py").write_text("import math\nmath.no_such_function\nclass Both: ...\n")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(AgentsFailed, match="unfinished:Both could not be made: AttributeError: module"):
        load_agents("unfinished:Both")
    with pytest.raises(AttributeError, match="module 'math'"):
        SenderEnv("unfinished:Both")
    (tmp_path / "empty.py").touch()
    with pytest.raises(ValueError, match=r"agents must be a class or a function .*; got empty:Both"):
        load_agents("empty:Both")


def test_agents_of_this_folder_may_import_its_modules_when_they_play(tmp_path, monkeypatch):
    (tmp_path / "said_in_play.py").write_text("SYMBOLS = [3, 1]\n")
    (tmp_path / "importing_in_play.py").write_text(
        "class Sender:\n"
        "    def send(self, window):\n"
        "        from said_in_play import SYMBOLS\n"
        "        return [SYMBOLS] * len(window)\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [folder for folder in sys.path if folder])
    env = ReceiverEnv("importing_in_play:Sender", game="small")
    env.reset(seed=0)
    assert env.game.parts()["message"].tolist() == [[3, 1]]

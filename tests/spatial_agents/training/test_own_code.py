"""Networks of one's own: trained, resumed, loaded, and refused, as its user would."""

import dataclasses
import json
import shutil
from functools import partial

import numpy as np
import pytest
import torch
from helpers.tiny_pairs import TINY
from torch import nn

from spatial_agents.pairs.pair import load_pair
from spatial_agents.recipes import Recipe, TrainOptions
from spatial_agents.torch_pair import load_torch_pair
from spatial_agents.training.folders import options_of, write_config
from spatial_agents.training.own_code import OwnCode
from spatial_agents.training.runs import train
from spatial_game import MASK, GameConfig, draw_episodes, load_agents, read_recording
from spatial_game.cli import main
from spatial_game.game.evaluation import evaluate_agents


class Sender(nn.Module):
    """All symbols at once from a table of cells, with dropout."""

    def __init__(self, game):
        super().__init__()
        self.shape = game.message_length, game.vocab_size
        self.cells = nn.Embedding(game.num_integers + 1, 8)
        self.dropout = nn.Dropout(0.2)
        self.to_symbols = nn.Linear(8 * game.window_size, game.message_length * game.vocab_size)

    def forward(self, window, choose_symbol):
        cells = self.dropout(self.cells(window - MASK)).flatten(1)
        return choose_symbol(self.to_symbols(cells).unflatten(1, self.shape))


class Receiver(nn.Module):
    """Compares the message with the neighbours of each candidate."""

    def __init__(self, game):
        super().__init__()
        self.cells = nn.Embedding(game.num_integers + 1, 8)
        self.read = nn.Linear(game.message_length * game.vocab_size, 24)

    def forward(self, message, sequence, candidates):
        assert len(message) == len(sequence) == len(candidates)
        blank = torch.full_like(sequence[:, :1], -1)
        cells = torch.cat([blank, sequence, blank], dim=1).unfold(1, 3, 1)  # (B, L, 3)
        where = (candidates.unsqueeze(2) == sequence.unsqueeze(1)).long().argmax(dim=2)
        around = self.cells(cells[torch.arange(len(cells)).unsqueeze(1), where] + 1).flatten(2)
        return (around @ self.read(message.flatten(1)).unsqueeze(2)).squeeze(2)


class OtherReceiver(Receiver):
    """One with other weights."""

    def __init__(self, game):
        super().__init__(game)
        self.cells = nn.Embedding(game.num_integers + 1, 9)


class Shapeless(Sender):
    """Says one symbol too few."""

    def forward(self, window, choose_symbol):
        return super().forward(window, choose_symbol)[:, 1:]


class Deaf(Receiver):
    """Takes no message."""

    def forward(self, sequence, candidates):
        return super().forward(None, sequence, candidates)


class OfNoGame(Sender):
    """Takes no config."""

    def __init__(self):
        super().__init__(TINY)


class Continuous(Sender):
    """Does not ask for symbols."""

    def forward(self, window, choose_symbol):
        return super().forward(window, lambda logits: logits)


class Counting(Sender):
    """Has weights that are no fractions."""

    def __init__(self, game):
        super().__init__(game)
        self.register_buffer("count", torch.tensor(3))


OWN = (Sender, Receiver)


def options_for(out, pairs=1, checkpoint_seconds=30.0, **recipe):
    recipe = Recipe(**{"recipe": "local", "steps": 2, "batch_size": 32, **recipe})
    rest = {"evaluation_episodes": 200, "checkpoint_seconds": checkpoint_seconds}
    return TrainOptions(TINY, recipe, pairs=pairs, out=out, **rest)


@pytest.fixture(scope="module")
def own_run(tmp_path_factory):
    """The folder of a run, not to be changed."""
    [folder] = train(options_for(tmp_path_factory.mktemp("own") / "run", steps=100), networks=OWN)
    return folder


def test_a_run_plays_as_its_card_says(own_run):
    pair = load_torch_pair(own_run, networks=OWN)
    assert pair.card["evaluation"]["accuracy"] > 0.45  # chance is 0.33
    assert evaluate_agents(pair, 200, 0).to_dict() == pair.card["evaluation"]
    episodes = draw_episodes(pair.config, 5, np.random.default_rng(0))
    sent = pair.sender.send(episodes.window)
    assert sent.shape == (5, 2)
    assert np.array_equal(sent, pair.sender.send(episodes.window))  # no dropout


def test_the_card_names_the_classes_and_nothing_of_other_networks(own_run):
    card = json.loads((own_run / "card.json").read_text())
    assert card["networks"]["name"] == f"{__name__}:Sender and {__name__}:Receiver"
    assert len(card["networks"]["source_hash"]) == 64
    assert "class Receiver(nn.Module)" in card["networks"]["source"]
    assert card["recipe"]["learning_rate"] == 3e-3
    assert not {"network", "inputs", "hidden_size"} & set(card["recipe"])


@pytest.mark.parametrize("changes", [{"unseen": 0.2}, {"recipe": "curriculum"}])
@pytest.mark.usefixtures("often_logged")
def test_it_resumes_to_the_same_bytes(tmp_path, train_and_kill, changes):
    short = {"steps": 6, **changes}
    [whole] = train(options_for(tmp_path / "whole", **short), networks=OWN)
    cut = options_for(tmp_path / "cut", checkpoint_seconds=0.0, **short)
    train_and_kill(5, cut, networks=OWN)
    [again] = train(options_of(cut.out), networks=OWN)
    assert (whole / "pair.safetensors").read_bytes() == (again / "pair.safetensors").read_bytes()


@pytest.mark.slow
def test_several_pairs_are_trained_in_processes(tmp_path):
    folders = train(options_for(tmp_path / "run", pairs=2), networks=OWN, jobs=2)
    assert len({load_torch_pair(folder, OWN).card["weights_hash"] for folder in folders}) == 2


def test_a_run_is_continued_with_its_networks_only(own_run, tiny_options, tmp_path, monkeypatch):
    run, options = shutil.copytree(own_run, tmp_path / "run"), options_of(own_run)
    options = dataclasses.replace(options, out=run)
    both = f"{__name__}:Sender and {__name__}:Receiver"
    with pytest.raises(ValueError, match=rf"its networks, {both}; got those of the package"):
        train(options)
    with pytest.raises(ValueError, match=rf"{both}; got .*Sender and .*OtherReceiver"):
        train(options, networks=(Sender, OtherReceiver))
    monkeypatch.setattr("inspect.getsource", lambda network: "changed")
    with pytest.raises(ValueError, match="got other source code"):
        train(options, networks=OWN)
    begun = tiny_options("begun")
    write_config(begun.out, begun)
    with pytest.raises(ValueError, match=r"its networks, those of the package; got .*Sender"):
        train(begun, networks=OWN)


def test_files_import_no_code_and_weights_must_fit(own_run):
    with pytest.raises(ValueError, match=r"networks of your own must be loaded with .*load_torch_pair"):
        load_pair(own_run)
    with pytest.raises(ValueError, match=r"networks must be those that were trained; .* size mismatch"):
        load_torch_pair(own_run, (Sender, OtherReceiver))


@pytest.mark.parametrize(
    ("networks", "changes", "fault"),
    [
        ((Shapeless, Receiver), {}, r"sender must return a tensor of torch.float32 with shape \(2, 2, 8\)"),
        ((Sender, Deaf), {}, r"receiver must take \(message, sequence, candidates\); got \(sequence, cand"),
        ((OfNoGame, Receiver), {}, r"sender's class must take \(config\); got \(\)"),
        ((Continuous, Receiver), {}, "sender must return the symbols of choose_symbol"),
        ((Counting, Receiver), {}, "sender.count must be float32 in .*; got int64"),
        (Sender, {}, r"networks must be two classes, \(MySender, MyReceiver\); got <class"),
        ((Sender,), {}, "networks must be two classes"),
        ((Sender(TINY), Receiver(TINY)), {}, "networks must be two classes"),
        (("mine:Sender", "mine:Receiver"), {}, "networks must be two classes"),
        ((partial(Sender), Receiver), {}, "networks must be classes or functions with a name"),
        (OWN, {"hidden_size": 16}, "hidden_size must be left out with your own networks; got 16"),
        (OWN, {"inputs": "one-hot"}, "inputs must be left out with your own networks; got one-hot"),
    ],
)
def test_what_cannot_be_trained_makes_no_folder(tmp_path, networks, changes, fault):
    refused = options_for(tmp_path / "run", **changes)
    with pytest.raises(ValueError, match=fault):
        train(refused, networks=networks)
    assert not refused.out.exists()


def test_the_command_line_loads_them_with_a_function(own_run, tmp_path, monkeypatch, capsys):
    (tmp_path / "mine.py").write_text(
        "from spatial_agents.torch_pair import load_torch_pair\n"
        f"from {__name__} import Receiver, Sender\n"
        f"def pair(): return load_torch_pair({str(own_run)!r}, (Sender, Receiver))\n"
    )
    monkeypatch.chdir(tmp_path)
    assert main(["evaluate", "mine:pair", "--episodes", "200"]) == 0
    assert "mine:pair" in capsys.readouterr().out
    weights_hash = json.loads((own_run / "card.json").read_text())["weights_hash"]
    assert main(["record", "mine:pair", "--episodes", "20", "--out", "play.parquet"]) == 0
    sender = read_recording("play.parquet").provenance["sender"]
    assert (sender["policy"], sender["weights_hash"]) == ("pair", weights_hash)
    assert load_agents("mine:pair").paths == (own_run / "pair.safetensors", own_run / "card.json")


def test_the_check_of_networks_takes_nothing_from_torchs_global_generator():
    before = torch.get_rng_state()
    OwnCode((Sender, Receiver)).require_trainable(TrainOptions(GameConfig.tiny(), Recipe("local"), out="run"))
    assert torch.equal(torch.get_rng_state(), before)

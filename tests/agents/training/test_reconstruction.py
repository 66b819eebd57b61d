"""The second task of the receiver, against loops."""

import json

import pytest
import torch

from spatial_agents.pairs.loading import load_pair
from spatial_agents.pairs.tensor_files import read_tensors
from spatial_agents.recipes import AgentConfig, Recipe
from spatial_agents.training.data import draw_device_episodes
from spatial_agents.training.reconstruction import new_head, reconstruction_costs, seen_at_offsets
from spatial_agents.training.runs import train
from spatial_agents.training.trainer import Trainer
from spatial_game.config import GameConfig
from spatial_game.game.windows import place_offsets

GAMES = {
    "sequence": GameConfig(9, window_radius=2, num_distractors=3, num_visible=2),
    "grid": GameConfig(shape=(4, 4), window_radius=1, num_distractors=3, num_visible=3),
}


def drawn(game):
    return draw_device_episodes(game, 50, torch.Generator().manual_seed(0))


def slow_seen(episodes, game):
    rows = []
    for window, mask in zip(episodes.window.tolist(), episodes.mask_column.tolist(), strict=True):
        row = [len(game.integers)] * len(game.offsets)
        for place, integer in enumerate(window):
            offset = tuple(place_offsets(game)[mask, place].tolist())
            if integer >= 0:
                row[game.offsets.index(offset if len(offset) > 1 else offset[0])] = integer
        rows.append(row)
    return torch.tensor(rows)


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_what_stands_at_each_offset(game):
    episodes = drawn(game)
    assert torch.equal(seen_at_offsets(episodes, game), slow_seen(episodes, game))


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_the_cost_is_the_sum_over_offsets(game):
    episodes, agent = drawn(game), AgentConfig(hidden_size=5)
    head = new_head(game, agent).to_empty(device="cpu")
    torch.nn.init.normal_(head.weight, generator=torch.Generator().manual_seed(1))
    torch.nn.init.zeros_(head.bias)
    understood = torch.randn(50, 5, generator=torch.Generator().manual_seed(2))
    costs = reconstruction_costs(head, understood, episodes, game)
    logits = head(understood).view(50, len(game.offsets), len(game.integers) + 1)
    for i, row in enumerate(slow_seen(episodes, game).tolist()):
        expected = sum(-logits[i, k].log_softmax(dim=0)[integer] for k, integer in enumerate(row))
        torch.testing.assert_close(costs[i], expected)


@pytest.mark.parametrize("recipe", ["curriculum", "local"])
def test_it_is_learned_and_not_in_the_finished_pair(tiny_options, recipe):
    options = tiny_options(recipe=recipe, reconstruct=1.0)
    [folder] = train(options)
    checkpoint, _ = read_tensors(folder / "checkpoint.safetensors", "checkpoint")
    assert "pair/receiver.head.weight" in checkpoint
    first = Trainer([options], torch.device("cpu")).state().tensors["pair/receiver.head.weight"]
    assert not torch.equal(torch.from_numpy(checkpoint["pair/receiver.head.weight"]), first)
    assert load_pair(folder).weights_hash == json.loads((folder / "card.json").read_text())["weights_hash"]


def test_batched_pairs_have_their_own(tiny_options):
    options = [tiny_options(reconstruct=1.0, seed=seed) for seed in (4, 5)]
    batched = Trainer(options, torch.device("cpu"), batched=True)
    alone = Trainer(options[1:], torch.device("cpu"))
    for _ in range(3):
        batched.step()
        alone.step()
    for name, tensor in alone.weights().items():
        torch.testing.assert_close(batched.weights(1)[name], tensor, rtol=1e-3, atol=1e-4)


def test_landmark_receivers_have_no_state_for_it():
    with pytest.raises(ValueError, match=r"reconstruct must be 0 with network landmark; got 1\.0"):
        Recipe("landmark", reconstruct=1.0)

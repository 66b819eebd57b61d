"""What the sender is paid and charged, against the obvious computation an episode at a time."""

import torch

from spatial_agents.networks.gru import new_pair
from spatial_agents.networks.symbols import one_hot
from spatial_agents.recipes import Recipe
from spatial_agents.training.data import draw_device_episodes
from spatial_agents.training.objective import Speaking, outcome
from spatial_game.config import GameConfig

GAME = GameConfig(8, window_radius=1, num_distractors=2, vocab_size=4, message_length=4)


def generator(seed=0):
    return torch.Generator().manual_seed(seed)


def noise(like):
    return torch.empty_like(like).exponential_(generator=NOISE)


NOISE = generator(3)


def play(recipe, baseline=0.7, bonus=0.0):
    network = new_pair(GAME, recipe.agent, generator())
    NOISE.manual_seed(3)
    speaking = Speaking(recipe, noise)
    episodes = draw_device_episodes(GAME, 60, generator(1))
    messages = []
    network.sender.register_forward_hook(lambda *result: messages.append(result[2]))
    found = outcome(network, episodes, speaking, bonus, torch.tensor(baseline))
    logits = network.receiver(messages[0], episodes.sequence, episodes.candidates)
    costs = torch.nn.functional.cross_entropy(logits, episodes.target_index, reduction="none")
    return found, speaking, messages[0], costs


def test_reinforce_is_the_equation_of_williams_episode_by_episode():
    recipe = Recipe(channel="reinforce", entropy_bonus=0.5)
    found, speaking, messages, costs = play(recipe, baseline=0.7, bonus=0.25)
    expected = costs.mean()
    for i, message in enumerate(messages.argmax(dim=2).tolist()):
        log_p = sum(speaking.logits[t][i].log_softmax(dim=0)[symbol] for t, symbol in enumerate(message))
        expected = expected + (costs[i].detach() - 0.7) * log_p / 60
        for t in range(4):
            of_symbol = torch.distributions.Categorical(logits=speaking.logits[t][i])
            expected = expected - 0.25 * of_symbol.entropy() / 60
    torch.testing.assert_close(found.objective, expected)
    torch.testing.assert_close(found.loss, costs.mean().detach())


def test_draws_follow_the_logits():
    speaking = Speaking(Recipe(channel="reinforce"), noise)
    logits = torch.tensor([[2.0, 1.0, 0.0]]).repeat(20_000, 1)
    shares = speaking(logits).mean(dim=0)
    torch.testing.assert_close(shares, logits[0].softmax(dim=0), atol=0.02, rtol=0)


def test_one_hot():
    assert one_hot(torch.tensor([[2, 0]]), 3).tolist() == [[[0, 0, 1], [1, 0, 0]]]

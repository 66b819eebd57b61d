"""What the sender is paid and charged, against the obvious computation an episode at a time."""

import numpy as np
import pytest
import torch

from spatial_agents.networks.gru import new_pair
from spatial_agents.networks.symbols import END, hold_end, message_lengths, one_hot
from spatial_agents.pairs.torch_play import pair_from_network
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
    with torch.no_grad():  # so that a message ends now and then
        network.sender.hidden_to_symbol.weight.mul_(4)
    NOISE.manual_seed(3)
    speaking = Speaking(recipe, noise)
    episodes = draw_device_episodes(GAME, 60, generator(1))
    messages = []
    network.sender.register_forward_hook(lambda *result: messages.append(result[2]))
    found = outcome(network, episodes, speaking, bonus, torch.tensor(baseline))
    logits = network.receiver(messages[0], episodes.sequence, episodes.candidates)
    costs = torch.nn.functional.cross_entropy(logits, episodes.target_index, reduction="none")
    return found, speaking, messages[0], costs


def until_end(message):
    """The symbols (an int each) that are said: those up to the first END, with it."""
    symbols = message.argmax(dim=1).tolist()
    return symbols[: symbols.index(END) + 1] if END in symbols else symbols


def test_a_hard_message_ends_once_and_for_all():
    _, _, messages, _ = play(Recipe(channel="reinforce", end_symbol=True))
    symbols = messages.argmax(dim=2)
    assert {0, 1, 2, 3, 4} >= set(message_lengths(messages).tolist()) > {4}
    for message, length in zip(symbols.tolist(), message_lengths(messages).tolist(), strict=True):
        assert END not in message[: int(length)]
        assert message[int(length) :] == [END] * (4 - int(length))


def test_the_expected_length_of_a_soft_message_is_that_of_its_draws():
    soft = torch.rand((1, 3, 4), generator=generator()).softmax(dim=2)
    held = [soft[:, 0]]
    for t in (1, 2):
        held.append(hold_end(soft[:, t], held[-1]))
    torch.testing.assert_close(torch.stack(held, dim=1).sum(dim=2), torch.ones(1, 3))
    rng, lengths = np.random.default_rng(0), []
    for _ in range(3_000):
        drawn = [int(rng.choice(4, p=np.array(p) / np.sum(p))) for p in soft[0].double().tolist()]
        lengths.append(drawn.index(END) if END in drawn else 3)
    assert message_lengths(torch.stack(held, dim=1)).item() == pytest.approx(np.mean(lengths), abs=0.08)


def test_reinforce_is_the_equation_of_williams_episode_by_episode():
    recipe = Recipe(channel="reinforce", end_symbol=True, length_cost=0.2, entropy_bonus=0.5)
    found, speaking, messages, costs = play(recipe, baseline=0.7, bonus=0.25)
    expected = costs.mean()
    for i, message in enumerate(messages):
        said = until_end(message)
        length = len(said) - (END in said)
        log_p = sum(speaking.logits[t][i].log_softmax(dim=0)[symbol] for t, symbol in enumerate(said))
        expected = expected + (costs[i].detach() + 0.2 * length - 0.7) * log_p / 60
        for t in range(len(said)):  # nothing is paid for what would have come after the end
            of_symbol = torch.distributions.Categorical(logits=speaking.logits[t][i])
            expected = expected - 0.25 * of_symbol.entropy() / 60
    torch.testing.assert_close(found.objective, expected)
    torch.testing.assert_close(found.loss, costs.mean().detach())


def test_gumbel_pays_for_the_expected_length():
    cheap, _, messages, costs = play(Recipe(end_symbol=True))
    dear, _, _, _ = play(Recipe(end_symbol=True, length_cost=0.3))
    torch.testing.assert_close(cheap.objective, costs.mean())
    torch.testing.assert_close(
        dear.objective, cheap.objective + 0.3 * (1 - messages[:, :, END]).sum(dim=1).mean()
    )


def test_a_soft_message_is_paid_for_its_entropy_by_the_share_that_goes_on():
    _, speaking, messages, _ = play(Recipe(end_symbol=True))
    expected = torch.zeros(())
    for message in range(60):
        for t in range(4):
            going_on = 1 - messages[message, t - 1, END].detach() if t else 1
            of_symbol = torch.distributions.Categorical(logits=speaking.logits[t][message])
            expected = expected + going_on * of_symbol.entropy() / 60
    torch.testing.assert_close(speaking.entropy(messages), expected)


def test_draws_follow_the_logits():
    speaking = Speaking(Recipe(channel="reinforce"), noise)
    logits = torch.tensor([[2.0, 1.0, 0.0]]).repeat(20_000, 1)
    shares = speaking(logits).mean(dim=0)
    torch.testing.assert_close(shares, logits[0].softmax(dim=0), atol=0.02, rtol=0)


def test_a_receiver_sees_nothing_after_the_end():
    agent = Recipe(end_symbol=True).agent
    pair = pair_from_network(new_pair(GAME, agent, generator()), GAME, agent)
    rng = np.random.default_rng(0)
    sequence = np.stack([rng.permutation(8) for _ in range(50)])
    after = np.concatenate([np.tile([2, END], (50, 1)), rng.integers(0, 4, (50, 2))], axis=1)
    choices = [
        pair.receiver.choose(messages, sequence, sequence[:, :3])
        for messages in (after, np.tile([2, END, END, END], (50, 1)))
    ]
    np.testing.assert_array_equal(*choices)


def test_one_hot():
    assert one_hot(torch.tensor([[2, 0]]), 3).tolist() == [[[0, 0, 1], [1, 0, 0]]]

"""The step of training against the obvious computation, its schedules, and checkpoints."""

import numpy as np
import pytest
import torch
from helpers.tiny_pairs import tiny

from spatial_agents.networks import greedy
from spatial_agents.recipes import Recipe, TrainOptions
from spatial_agents.training import trainer as module
from spatial_agents.training.schedules import (
    entropy_bonus,
    first_length,
    learning_rate,
    longer,
    played_game,
    smaller_shapes,
    visible_by_steps,
)
from spatial_agents.training.trainer import Trainer, TrainingDiverged, torch_seed
from spatial_game import MASK, GameConfig

CPU = torch.device("cpu")
GAME = GameConfig(6, window_radius=1, num_distractors=2, vocab_size=5, message_length=2)


def slow_objective(pair, batch, messages, logits_of_symbols, bonus):
    """The loss less the entropy bonus, an episode at a time."""
    losses, entropies = [], []
    for i in batch.allowed.nonzero()[:, 0].tolist():
        own = i * len(batch.sequence) // len(batch.window)  # episodes may share a sequence
        given = messages[i : i + 1], batch.sequence[own : own + 1], batch.candidates[own : own + 1]
        scores, target = pair.receiver(*given)[0], batch.target_index[i]
        if len(batch.sequence) < len(batch.window):  # every cell is a target: only targets are candidates
            targets = batch.allowed.view(len(batch.sequence), -1)[own]
            scores, target = scores[targets], targets[:target].sum()
        losses.append(-scores.log_softmax(dim=0)[target])
        of_symbols = [torch.distributions.Categorical(logits=logits[i]) for logits in logits_of_symbols]
        entropies.append(sum(each.entropy() for each in of_symbols))
    return sum(losses) / len(losses) - bonus * sum(entropies) / len(entropies)


@pytest.mark.parametrize(
    "recipe",
    [
        Recipe(inputs="embedding", hidden_size=8, batch_size=20, entropy_bonus=0.3, temperature=0.7),
        Recipe("paper", hidden_size=8, batch_size=20, straight_through=True),
        Recipe("local", hidden_size=8, batch_size=18, unseen=0.3),
    ],
    ids=["curriculum", "paper", "local"],
)
def test_a_step_is_one_of_adam_with_the_gradients_of_the_slow_objective(recipe):
    options = TrainOptions(GAME, recipe, seed=3)
    trainer, twin = Trainer(options, CPU), Trainer(options, CPU)
    trainer.step()
    batch, pair, logits_of_symbols = twin.draw(), twin.population.pair(), []
    twin.generator.manual_seed(torch_seed(3, "noise", 0))

    def choose(logits):
        logits_of_symbols.append(logits)
        noise = -torch.empty_like(logits).exponential_(generator=twin.generator).log()
        soft = ((logits + noise) / recipe.temperature).softmax(dim=1)
        return soft + (greedy(soft) - soft).detach() if recipe.straight_through else soft

    messages = pair.sender(batch.window, choose)
    slow_objective(pair, batch, messages, logits_of_symbols, entropy_bonus(recipe, 0)).backward()
    if recipe.recipe != "paper":
        torch.nn.utils.clip_grad_norm_(twin.population.parameters(), 1.0)
    pairs = list(zip(trainer.population.named_parameters(), twin.population.parameters(), strict=True))
    for (name, weight), slow in pairs:
        close(name, weight.grad, slow.grad, rtol=1e-3, atol=1e-6)
        slow.grad = weight.grad  # Adam makes whole steps of rounding errors, so it gets the same gradients
    torch.optim.Adam(twin.population.parameters(), lr=learning_rate(recipe, 0)).step()
    for (name, weight), slow in pairs:
        close(name, weight, slow, rtol=1e-5, atol=1e-6)


def close(name, value, expected, **tolerances):
    """Assert that two tensors are close; the failure shows how far apart they are."""
    torch.testing.assert_close(value, expected, msg=lambda text: f"{name}: {text}", **tolerances)


def test_the_pair_that_plays_is_an_average_of_the_weights():
    trainer = Trainer(TrainOptions(GAME, Recipe("local", hidden_size=8)), CPU)
    expected = trainer.population.senders[0].start.detach().clone()
    for step in range(5):
        trainer.step()
        keep = (1 + step) / (10 + step)
        expected = keep * expected + (1 - keep) * trainer.population.senders[0].start.detach()
    torch.testing.assert_close(trainer.average.senders[0].start.detach(), expected)


def test_sequences_grow_when_the_pair_does_well(monkeypatch):
    options = TrainOptions(GameConfig(20), Recipe(hidden_size=8, batch_size=8))
    for bar, lengths in ((0.0, [8, 10, 12]), (1.1, [6, 6, 6])):
        monkeypatch.setattr(module, "GROW_AT", bar)
        trainer = Trainer(options, CPU)
        for length in lengths:
            trainer.step()
            trainer.end_interval()
            assert trainer.length == length
        assert trainer.draw().sequence.shape == (8, lengths[-1])


def test_windows_show_more_from_step_to_step():
    game = GameConfig(shape=(3, 3), window_radius=1, num_distractors=2, vocab_size=4, message_length=2)
    trainer = Trainer(TrainOptions(game, Recipe("landmark", steps=10, batch_size=9, start_visible=1)), CPU)
    seen = []
    while not trainer.finished:
        window = trainer.draw().window
        assert ((window == MASK).sum(dim=1) == 1).all()
        seen += set((window >= 0).sum(dim=1).tolist())
        trainer.step()
    assert seen == [1, 1, 2, 3, 4, 6, 8, 8, 8, 8]
    assert visible_by_steps(Recipe("landmark"), GameConfig(num_visible=2), 0) == 2


@pytest.mark.parametrize(
    ("schedule", "steps", "rates"),
    [("one-cycle", (0, 125, 250, 625, 1000), (0.08, 1.04, 2, 1, 0)), ("constant", (0, 500, 1000), (2, 2, 2))],
)
def test_rates_and_the_bonus_by_steps(schedule, steps, rates):
    recipe = Recipe("paper", steps=1000, learning_rate=2.0, schedule=schedule, entropy_bonus=0.02)
    assert [learning_rate(recipe, step) for step in steps] == pytest.approx(rates)
    assert [entropy_bonus(recipe, step) for step in (0, 350, 700, 999)] == pytest.approx([0.02, 0.01, 0, 0])


@pytest.mark.parametrize(
    ("game", "lengths"),
    [
        (GameConfig(60), [6, 8, 10, 12, 15, 18, 22, 27, 33, 41, 51, 60]),
        (GameConfig(5), [5]),
        (GameConfig(12, window_radius=4), [9, 11, 12]),
        (GameConfig(15, num_distractors=9), [10, 12, 15]),
        (GameConfig(shape=(4, 8), window_radius=1, num_distractors=13), [16, 20, 28, 32]),
    ],
)
def test_the_curriculum_grows_from_the_shortest_sequence_that_can_be_played(game, lengths):
    found = [first_length(Recipe("curriculum"), game)]
    while found[-1] < game.sequence_length:
        found.append(longer(found[-1], game))
    assert found == lengths
    assert first_length(Recipe("paper"), game) == game.sequence_length
    assert [played_game(game, length, 2).sequence_length for length in lengths] == lengths


def test_grids_grow_on_their_shortest_axis():
    shapes = smaller_shapes(GameConfig(shape=(4, 6), window_radius=1))
    assert list(shapes.values()) == [(3, 3), (4, 3), (4, 4), (4, 5), (4, 6)]


# ---------------------------------------------------------------------------------------- checkpoints


@pytest.fixture
def options(tiny_options):
    return tiny_options()


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory):
    """The content of the checkpoint of a pair after five steps."""
    path = tmp_path_factory.mktemp("checkpoints") / "checkpoint.pt"
    trainer = Trainer(tiny(path.parent), CPU)
    for _ in range(5):
        trainer.step()
    trainer.save(path)
    return path.read_bytes()


@pytest.fixture
def path(checkpoint, tmp_path):
    (tmp_path / "checkpoint.pt").write_bytes(checkpoint)
    return tmp_path / "checkpoint.pt"


def test_no_damaged_byte_goes_unseen(options, path):
    whole, rng, refused = path.read_bytes(), np.random.default_rng(0), 0
    good = Trainer(options, CPU)
    good.load(path)
    for _ in range(20):
        damaged = bytearray(whole)
        damaged[rng.integers(len(whole))] ^= 1 << rng.integers(8)
        path.write_bytes(damaged[: rng.integers(len(whole))] if rng.random() < 0.3 else damaged)
        trainer = Trainer(options, CPU)
        try:
            trainer.load(path)
        except ValueError as error:
            refused += str(path) in str(error) and len(str(error).splitlines()) == 1
        else:  # for example a padding byte
            same = zip(trainer.population.parameters(), good.population.parameters(), strict=True)
            assert all(torch.equal(*each) for each in same)
    assert refused > 10


def change_moment(content):  # torch's fused Adam would write beyond the end of a smaller one
    content["optimiser"]["state"][0]["exp_avg_sq"] = torch.zeros(1)


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (change_moment, "Adam.s moments must have"),
        (lambda content: content.pop("sums"), "KeyError: 'sums'"),
        (lambda content: content.update(run=print), "it holds other things than numbers and tensors"),
        (lambda content: content["run"].update(seed=9), "seed must stay 9, with which the run began; got 0"),
        (lambda content: content["run"].update(device="cuda"), "device must stay cuda, .*; got cpu"),
    ],
)
def test_a_checkpoint_of_something_else_is_refused_and_runs_no_code(options, path, change, fault):
    content = torch.load(path, weights_only=True)
    change(content)
    torch.save(content, path)
    with pytest.raises(ValueError, match=rf"checkpoint\.pt: (must be a whole .*; )?{fault}"):
        Trainer(options, CPU).load(path)


def test_weights_that_are_not_finite_are_never_saved(options, path):
    before, trainer = path.read_bytes(), Trainer(options, CPU)
    trainer.population.senders[0].start.data[0] = float("nan")
    with pytest.raises(TrainingDiverged, match=r"senders.0.start must stay finite; got nan .* at step 0"):
        trainer.save(path)
    assert path.read_bytes() == before

"""How fast do receivers learn a language that composes, and a random one? Ease of teaching, without senders.

    python experiments/teaching.py --out docs/_static/findings/teaching.csv      (minutes of one core)

The game has 20 integers, of which the sender sees one; a tenth of the combinations of integer and offset is
left out. A message of the language that composes has a symbol for the integer, one for the offset, and one
that is always the same; a message of the random language has three random symbols for each combination. Each
receiver learns each language from every cell of 24 sequences a step, with the rate of the recipe `local`.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Callable
from pathlib import Path

import torch
from torch import Tensor, nn

from spatial_agents.networks import gru, landmark, local, product
from spatial_agents.networks.gru import draw_weights
from spatial_agents.networks.layers import PLAIN, Layers
from spatial_agents.networks.symbols import one_hot
from spatial_agents.recipes import AgentConfig
from spatial_agents.seeding import torch_generator
from spatial_agents.training.adam import Adam
from spatial_agents.training.data import DeviceEpisodes, draw_every_target
from spatial_agents.training.reconstruction import seen_at_offsets
from spatial_agents.training.samplers import Allowed
from spatial_game.config import GameConfig
from spatial_game.game.held_out import held_out

GAME = GameConfig(20, num_visible=1)
SHARE, SEQUENCES, RATE, SEEDS = 0.1, 24, 3e-3, 5
CHECKED = (25, 50, 100, 200, 400, 800)


class LinearReceiver(local.ReceiverNetwork):
    """A receiver of the recipe `local` that reads messages by one linear layer instead of a GRU."""

    def add_cells(self, game: GameConfig, features: int, hidden: int, layers: Layers) -> None:
        """Add the layer for messages, and those for the cells around a candidate."""
        super().add_cells(game, features, hidden, layers)
        self.message_gru = nn.Identity()
        self.message_to_state = layers.linear(game.message_length * game.vocab_size, hidden)

    def understand(self, message: Tensor) -> Tensor:
        """Return the vectors (B, H) of messages (B, T, V)."""
        return self.message_to_state(message.flatten(-2))


class JoinedReceiver(LinearReceiver):
    """The same, but message and cells go through a layer together; there is no inner product."""

    def add_cells(self, game: GameConfig, features: int, hidden: int, layers: Layers) -> None:
        """Add the layers to a score."""
        super().add_cells(game, features, hidden, layers)
        self.message_to_wide = layers.linear(game.message_length * game.vocab_size, 2 * hidden)
        self.wide_to_score = layers.linear(2 * hidden, 1)

    def forward(self, message: Tensor, sequence: Tensor, candidates: Tensor) -> Tensor:
        """Return logits (B, C) for messages (B, T, V), sequences (S, L) and candidates (S, C)."""
        cells = self.around_to_wide(self.inputs(self.around(sequence, candidates)).flatten(-2))  # (S, C, W)
        state = self.message_to_wide(message.flatten(-2)).unflatten(0, (len(cells), -1))  # (S, B/S, W)
        wide = torch.relu(cells.unsqueeze(1) + state.unsqueeze(2))
        return self.wide_to_score(wide).squeeze(-1).flatten(0, 1)


class LinearProductReceiver(landmark.ReceiverNetwork):
    """A receiver of the recipe `landmark` that reads the whole message for the offset and for the integer."""

    def heard(self, message: Tensor) -> Tensor:
        """Return the message, twice."""
        return torch.stack([message, message], dim=-3)


class GRUReceiver(gru.ReceiverNetwork):
    """The paper's receiver; episodes that share a sequence each get their own."""

    def forward(self, message: Tensor, sequence: Tensor, candidates: Tensor) -> Tensor:
        """Return logits (B, C)."""
        shared = len(message) // len(sequence)
        return super().forward(
            message, sequence.repeat_interleave(shared, 0), candidates.repeat_interleave(shared, 0)
        )


RECEIVERS: dict[str, tuple[type[nn.Module], AgentConfig]] = {
    "GRUs, as in the paper": (GRUReceiver, AgentConfig(inputs="embedding")),
    "local": (local.ReceiverNetwork, AgentConfig(inputs="embedding", network="local")),
    "local, linear reading": (LinearReceiver, AgentConfig(inputs="embedding", network="local")),
    "local, linear reading, one layer for both": (
        JoinedReceiver,
        AgentConfig(inputs="embedding", network="local"),
    ),
}
RECEIVERS |= {
    "product": (product.ReceiverNetwork, AgentConfig(inputs="embedding", network="product")),
    "product, linear reading": (LinearProductReceiver, AgentConfig(inputs="embedding", network="landmark")),
}
Language = Callable[[DeviceEpisodes], Tensor]


def languages(seed: int) -> dict[str, Language]:
    """Return the two languages, which turn episodes into messages (B, T, V)."""
    integers, offsets = len(GAME.integers), len(GAME.offsets)
    generator = torch_generator(seed, "language")
    words = torch.randperm(GAME.vocab_size, generator=generator)
    for_offset = torch.randperm(GAME.vocab_size, generator=generator)[:offsets]
    of_integer = words[:integers].expand(offsets, -1)
    composed = torch.stack([of_integer, for_offset[:, None].expand(-1, integers), 0 * of_integer], dim=-1)
    number = torch.randperm(GAME.vocab_size**3, generator=generator)[: offsets * integers]
    symbols = [number // GAME.vocab_size**k % GAME.vocab_size for k in range(3)]
    whole = torch.stack(symbols, dim=-1).view(offsets, integers, 3)

    def spoken(table: Tensor) -> Language:
        def messages(episodes: DeviceEpisodes) -> Tensor:
            seen = seen_at_offsets(episodes, GAME)
            there = seen < integers
            offset = there.to(torch.uint8).argmax(dim=1)
            integer = seen.gather(1, offset[:, None])[:, 0].clamp(max=integers - 1)
            return one_hot(table[offset, integer], GAME.vocab_size)

        return messages

    return {"composes": spoken(composed), "random": spoken(whole)}


def lesson(receiver: nn.Module, speak: Language, seed: int) -> dict[int, tuple[float, float]]:
    """Teach a receiver; return its accuracy on known and on new combinations after some steps."""
    allowed = Allowed(held_out(GAME, SHARE, seed), torch.device("cpu"))
    generator, tested = torch_generator(seed, "lesson"), torch_generator(seed, "test")
    optimiser, found = Adam(receiver.parameters()), {}
    optimiser.set_rate(RATE)
    for step in range(1, CHECKED[-1] + 1):
        episodes = draw_every_target(GAME, SEQUENCES, generator)
        used = ~allowed.shows(episodes)
        logits = receiver(speak(episodes), episodes.sequence, episodes.candidates)
        costs = nn.functional.cross_entropy(logits, episodes.target_index, reduction="none")
        optimiser.zero_grad()
        ((costs * used).sum() / used.sum()).backward()
        optimiser.step()
        if step in CHECKED:
            found[step] = accuracies(receiver, speak, allowed, tested)
    return found


@torch.no_grad()
def accuracies(
    receiver: nn.Module, speak: Language, allowed: Allowed, rng: torch.Generator
) -> tuple[float, float]:
    """Return how often the receiver finds the target among five cells, for known and new combinations.

    Only windows with the mask in the middle count, as near a border a message says more.
    """
    episodes = draw_every_target(GAME, 1000, rng)
    new = allowed.shows(episodes)
    logits = receiver(speak(episodes), episodes.sequence, episodes.candidates)
    keys = torch.rand(logits.shape, generator=rng)
    target = episodes.target_index[:, None]
    keys.scatter_(1, target, -1.0)  # the target and four others
    offered = keys.argsort(dim=1)[:, :5]
    right = logits.gather(1, offered).argmax(dim=1) == 0
    middle = episodes.mask_column == GAME.window_radius
    return tuple(float(right[chosen & middle].float().mean()) for chosen in (~new, new))


def main() -> None:
    """Teach every receiver both languages with every seed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    rows = []
    for seed in range(SEEDS):
        for name, (kind, agent) in RECEIVERS.items():
            for language, speak in languages(seed).items():
                receiver = kind(GAME, agent, PLAIN)
                generator = torch_generator(seed, "weights")
                with torch.no_grad():
                    for module in receiver.modules():
                        draw_weights(module, generator)
                for step, (known, new) in lesson(receiver, speak, seed).items():
                    values = {"known": round(known, 4), "new": round(new, 4)}
                    rows.append(
                        {"receiver": name, "language": language, "seed": seed, "step": step, **values}
                    )
                print(rows[-1], flush=True)
    with options.out.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


if __name__ == "__main__":
    main()

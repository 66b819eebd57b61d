"""The networks of a pair as torch modules.

The sequential ones are those of section 3 and figure 1 of the paper. The local ones look at
neighbourhoods, and the landmark ones are linear in an integer and an offset. Senders take windows (B, W), and
write symbols as rows of V numbers, one-hot or soft, that sum to 1. Receivers take messages (B, T, V),
sequences (B, L) and candidates (B, C). Receivers with a true attribute `shares_sequences` also take fewer
sequences, (S, L) and (S, C): each then belongs to the same number of messages in a row.
`spatial_agents.numpy_networks` has the same networks in NumPy.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterable, Iterator

import torch
from torch import Tensor, nn

from spatial_agents.network_config import BLANK, EXCLUDED_SCORE, SHARP, NetworkConfig
from spatial_game.checks import require, require_takes, shortened
from spatial_game.config import GameConfig
from spatial_game.game.episodes import MASK
from spatial_game.game.rules import lowest_in_window
from spatial_game.game.windows import cells_around, offset_numbers, offset_steps

WIDER = 2
"""The width of the layer before the state, in local networks, as a multiple of the hidden size."""

ChooseSymbol = Callable[[Tensor], Tensor]
"""Turns logits (B, V), or those of all symbols at once (B, T, V), into symbols of the same shape."""

NewNetwork = Callable[[GameConfig], nn.Module]
"""A class of networks, or another function that makes one for a game."""
Networks = tuple[NewNetwork, NewNetwork]
"""What makes the networks of the sender and of the receiver."""


class PairNetwork(nn.Module):
    """A sender and a receiver that are trained, saved and hashed together."""

    def __init__(self, sender: nn.Module, receiver: nn.Module) -> None:
        super().__init__()
        self.sender, self.receiver = sender, receiver


class Population(nn.Module):
    """Senders and receivers that are trained together: each sender learns to talk to every receiver."""

    def __init__(self, senders: Iterable[nn.Module], receivers: Iterable[nn.Module]) -> None:
        super().__init__()
        self.senders, self.receivers = nn.ModuleList(senders), nn.ModuleList(receivers)

    def pair(self, sender: int = 0, receiver: int = 0) -> PairNetwork:
        """Return one of the senders with one of the receivers, which stay part of the population."""
        return PairNetwork(self.senders[sender], self.receivers[receiver])


def networks_of(network_config: NetworkConfig) -> Networks:
    """Return the package's own networks for a config."""
    sender, receiver = network_config.classes_among(globals())
    options = {"network_config": network_config}
    return functools.partial(sender, **options), functools.partial(receiver, **options)


def new_networks(config: GameConfig, networks: Networks, seed: int = 0) -> PairNetwork:
    """Return an untrained pair with a seed's weights. Raises `ValueError` for anything but two classes."""
    return new_population(config, networks, seed).pair()


def new_population(
    config: GameConfig, networks: Networks, seed: int = 0, senders: int = 1, receivers: int = 1
) -> Population:
    """Return an untrained population, whose first pair is that of `new_networks` with the same seed."""
    are_two = isinstance(networks, (tuple, list)) and len(networks) == 2
    are_classes = are_two and all(callable(new) and not isinstance(new, nn.Module) for new in networks)
    require(are_classes, "networks must be two classes, (MySender, MyReceiver)", shortened(networks))
    new_sender, new_receiver = networks
    require_takes("sender's class", new_sender, "config")
    require_takes("receiver's class", new_receiver, "config")
    with seeded_torch(seed):
        made = [(new_sender(config), new_receiver(config)) for _ in range(max(senders, receivers))]
    new_senders, new_receivers = zip(*made, strict=True)
    return Population(new_senders[:senders], new_receivers[:receivers])


@contextlib.contextmanager
def seeded_torch(seed: int, device: torch.device | None = None) -> Iterator[None]:
    """Seed torch's global generator within the block. Outside, it goes on as if nothing had happened."""
    on_gpu = device is not None and device.type == "cuda"
    with torch.random.fork_rng(devices=[device] if on_gpu else []):
        torch.manual_seed(seed)
        yield


# --- Symbols ------------------------------------------------------------------------------------------------


def one_hot(indices: Tensor, size: int) -> Tensor:
    """Return indices (...) as rows (..., size) of float32. Unlike torch's, it never waits for a GPU."""
    return (indices.unsqueeze(-1) == torch.arange(size, device=indices.device)).to(torch.float32)


def greedy(logits: Tensor) -> Tensor:
    """Return the most likely symbols (..., V), one-hot, for logits (..., V), as a trained sender does."""
    return one_hot(logits.argmax(dim=-1), logits.shape[-1])


def entropy(logits: Tensor) -> Tensor:
    """Return the entropies (...), in nats, of the distributions with logits (..., V)."""
    log_p = logits.log_softmax(dim=-1)
    return -(log_p.exp() * log_p).sum(dim=-1)


def gumbel_softmax(
    logits: Tensor, generator: torch.Generator, temperature: float = 1.0, straight_through: bool = False
) -> Tensor:
    """Return random symbols (..., V) through which gradients flow (Jang et al. 2017).

    With `straight_through` the symbols are one-hot, and their gradients are those of soft symbols. (torch's
    own function draws from its global generator.)
    """
    gumbel_noise = -torch.empty_like(logits).exponential_(generator=generator).log()
    soft = ((logits + gumbel_noise) / temperature).softmax(dim=-1)
    return greedy(soft) + soft - soft.detach() if straight_through else soft


# --- Integers -----------------------------------------------------------------------------------------------


class Integers(nn.Module):
    """Turns integers (...) from `lowest` upwards into vectors (..., features); see `NetworkConfig.inputs`."""

    def __init__(self, config: GameConfig, network_config: NetworkConfig, lowest: int) -> None:
        super().__init__()
        rows = config.num_integers - lowest
        self.kind, self.lowest = network_config.inputs, lowest
        self.centre, self.factor = network_config.scaling(config.num_integers)  # also of the mask, -1
        features = {"scalars": 1, "embedding": network_config.embedding_size, "one-hot": rows}
        self.features = features[self.kind]
        if self.kind == "embedding":
            self.table = nn.Embedding(rows, self.features)

    def forward(self, integers: Tensor) -> Tensor:
        """Return the vectors."""
        if self.kind == "scalars":
            return ((integers.to(torch.float32) - self.centre) * self.factor).unsqueeze(-1)
        if self.kind == "one-hot":
            return one_hot(integers - self.lowest, self.features)
        vectors: Tensor = self.table(integers - self.lowest)
        return vectors


# --- The networks of the paper ------------------------------------------------------------------------------


class SequentialSender(nn.Module):
    """Reads the window with a GRU, whose last state is the first of the GRU cell that writes the message.

    Senders that read in another way override `add_reader` and `read`.
    """

    def __init__(self, config: GameConfig, network_config: NetworkConfig) -> None:
        super().__init__()
        self.message_length, hidden = config.message_length, network_config.hidden_size
        self.inputs = Integers(config, network_config, lowest_in_window(config))
        self.add_reader(config, self.inputs.features, hidden)
        self.message_cell = nn.GRUCell(hidden, hidden)
        self.start = nn.Parameter(torch.zeros(hidden))
        self.symbol_to_hidden = nn.Linear(config.vocab_size, hidden)
        self.hidden_to_symbol = nn.Linear(hidden, config.vocab_size)

    def add_reader(self, config: GameConfig, features: int, hidden: int) -> None:
        """Add the GRU that reads the window."""
        self.window_gru = nn.GRU(features, hidden, batch_first=True)

    def read(self, window: Tensor) -> Tensor:
        """Return the state (B, H) after windows (B, W, features)."""
        return last_state(self.window_gru, window)

    def forward(self, window: Tensor, choose_symbol: ChooseSymbol) -> Tensor:
        """Return messages (B, T, V) for windows (B, W) of integers."""
        state = self.read(self.inputs(window))
        last = self.start.expand(len(window), -1)
        message: list[Tensor] = []
        for _ in range(self.message_length):
            state = self.message_cell(last, state)
            message.append(choose_symbol(self.hidden_to_symbol(state)))
            last = self.symbol_to_hidden(message[-1])
        return torch.stack(message, dim=1)


class SequentialReceiver(nn.Module):
    """Reads the message with a GRU, whose last state is the first of the GRU that reads the sequence."""

    def __init__(self, config: GameConfig, network_config: NetworkConfig) -> None:
        super().__init__()
        self.inputs = Integers(config, network_config, 0)
        features, hidden = self.inputs.features, network_config.hidden_size
        self.message_gru = nn.GRU(config.vocab_size, hidden, batch_first=True)
        self.sequence_gru = nn.GRU(features, hidden, batch_first=True)
        self.candidate_to_hidden = nn.Linear(features, hidden)

    def forward(self, message: Tensor, sequence: Tensor, candidates: Tensor) -> Tensor:
        """Return logits (B, C)."""
        understood = last_state(self.message_gru, message)
        state = last_state(self.sequence_gru, self.inputs(sequence), understood)
        offered = torch.relu(self.candidate_to_hidden(self.inputs(candidates)))
        return (offered @ state.unsqueeze(2)).squeeze(2)


def last_state(gru: nn.GRU, inputs: Tensor, first: Tensor | None = None) -> Tensor:
    """Return the last state (B, H) of a GRU for inputs (B, L, I) and a first state (B, H), or zeros."""
    state: Tensor = gru(inputs, None if first is None else first.unsqueeze(0))[1]
    return state.squeeze(0)


# --- Networks that look at neighbourhoods -------------------------------------------------------------------


class LocalSender(SequentialSender):
    """Reads the window at once, with two linear layers. Their output is the first state of the GRU cell."""

    def add_reader(self, config: GameConfig, features: int, hidden: int) -> None:
        """Add the two layers."""
        self.window_to_wide = nn.Linear(config.window_size * features, WIDER * hidden)
        self.wide_to_state = nn.Linear(WIDER * hidden, hidden)

    def read(self, window: Tensor) -> Tensor:
        """Return the state after the window (B, W, features)."""
        return self.wide_to_state(torch.relu(self.window_to_wide(window.flatten(-2))))


class LocalReceiver(nn.Module):
    """Scores each candidate by the cells at the game's offsets from it, the only ones that a window can show.

    This is a convolution over the sequence or grid, computed where there are candidates. The score is the
    inner product of a vector for the message and one for these cells. Beyond the border there is BLANK.
    Receivers with other layers override `add_cells`, `understand` and `offered`.
    """

    shares_sequences = True
    """Takes fewer sequences than messages, so that training with every cell as a target scores cells once."""
    steps: Tensor
    inside: Tensor
    """Where offsets lead from a cell (`spatial_game.game.windows.OffsetSteps`)."""

    def __init__(self, config: GameConfig, network_config: NetworkConfig) -> None:
        super().__init__()
        self.inputs = Integers(config, network_config, BLANK)
        for name, table in offset_steps(config)._asdict().items():
            self.register_buffer(name, torch.tensor(table), persistent=False)
        self.add_cells(config, self.inputs.features, network_config.hidden_size)

    def add_cells(self, config: GameConfig, features: int, hidden: int) -> None:
        """Add the layers that `understand` and `offered` use."""
        self.message_gru = nn.GRU(config.vocab_size, hidden, batch_first=True)
        self.around_to_wide = nn.Linear(len(config.offsets) * features, WIDER * hidden)
        self.wide_to_state = nn.Linear(WIDER * hidden, hidden)

    def understand(self, message: Tensor) -> Tensor:
        """Return the vectors (B, H) of messages (B, T, V)."""
        return last_state(self.message_gru, message)

    def offered(self, around: Tensor) -> Tensor:
        """Return the vectors (S, C, H) of the cells (S, C, offsets, features) around each candidate."""
        return self.wide_to_state(torch.relu(self.around_to_wide(around.flatten(-2))))

    def forward(self, message: Tensor, sequence: Tensor, candidates: Tensor) -> Tensor:
        """Return logits (B, C) of candidates that stand in the sequences."""
        offered = self.offered(self.inputs(self.around(sequence, candidates)))
        state = self.understand(message)
        of_sequence = state.unflatten(0, (len(sequence), len(state) // max(len(sequence), 1)))
        return (of_sequence @ offered.mT).flatten(0, 1)

    def around(self, sequence: Tensor, candidates: Tensor) -> Tensor:
        """Return the integers (S, C, offsets) around each candidate, BLANK beyond the border."""
        positions = (candidates.unsqueeze(-1) == sequence.unsqueeze(-2)).to(torch.uint8).argmax(dim=-1)
        cells = cells_around(self.steps, self.inside, positions, sequence.shape[-1])
        padded = nn.functional.pad(sequence, (0, 1), value=BLANK)
        return padded.gather(-1, cells.flatten(-2)).view(cells.shape)


# --- Networks that can name an integer and an offset separately ---------------------------------------------


class LandmarkSender(nn.Module):
    """Attends to one neighbour, its landmark, and says it in symbols whose logits are linear in its vector.

    The vector of a neighbour is the sum of a vector for its integer and one for its offset from the target.
    There are no GRUs, so `hidden_size` has no effect.
    """

    offset_numbers: Tensor
    """The number of each cell's offset (W, W) from each cell of the mask; any number at the mask."""

    def __init__(self, config: GameConfig, network_config: NetworkConfig) -> None:
        super().__init__()
        self.vocab_size, self.lowest = config.vocab_size, lowest_in_window(config)
        self.inputs = Integers(config, network_config, self.lowest)
        features = self.inputs.features
        numbers = torch.tensor(offset_numbers(config).clip(0))
        self.register_buffer("offset_numbers", numbers, persistent=False)
        self.offsets = nn.Embedding(len(config.offsets), features)
        self.neighbour_to_score = nn.Linear(features, 1)
        self.landmark_to_symbols = nn.Linear(features, config.message_length * config.vocab_size)

    def forward(self, window: Tensor, choose_symbol: ChooseSymbol) -> Tensor:
        """Return messages (B, T, V) for windows (B, W) of integers."""
        logits = self.landmark_to_symbols(self.landmark(window))
        return choose_symbol(logits.unflatten(1, (-1, self.vocab_size)))

    def landmark(self, window: Tensor) -> Tensor:
        """Return the vectors (B, features) of the named neighbours; if scores are close, mixtures."""
        numbers = self.offset_numbers[(window == MASK).to(torch.uint8).argmax(dim=-1)]
        # Training may hide cells that the game shows. They need no vector.
        integers = window.clamp(min=self.lowest)
        neighbours = self.inputs(integers) + self.offsets(numbers)  # (B, W, features)
        scores = SHARP * self.neighbour_to_score(neighbours).squeeze(-1)
        shares = scores.masked_fill(window < 0, EXCLUDED_SCORE).softmax(dim=-1)
        return (shares.unsqueeze(1) @ neighbours).squeeze(1)


class LandmarkReceiver(LocalReceiver):
    """Reads an offset and an integer from the message, each from slots that it has learned to read.

    The score of a candidate is a sum over offsets: how much the message says this offset, times the inner
    product of the message's vector for an integer and the vector of the integer at this offset from the
    candidate.
    """

    def add_cells(self, config: GameConfig, features: int, hidden: int) -> None:
        """Add the weights of the slots, and the two linear layers."""
        symbols = config.message_length * config.vocab_size
        self.attention = nn.Embedding(2, config.message_length)  # for the offset, and for the integer
        self.message_to_offset = nn.Linear(symbols, len(config.offsets))
        self.message_to_integer = nn.Linear(symbols, features)

    def understand(self, message: Tensor) -> Tensor:
        """Return the products (B, offsets * features) of an offset's shares and an integer's vector."""
        shares = message.shape[1] * self.attention.weight.softmax(dim=1)  # (2, T)
        read = message.unsqueeze(1) * shares.unsqueeze(2)  # (B, 2, T, V)
        for_offset, for_integer = read.flatten(2).unbind(dim=1)
        offset = (SHARP * self.message_to_offset(for_offset)).softmax(dim=-1)
        integer = self.message_to_integer(for_integer)
        return (offset.unsqueeze(2) * integer.unsqueeze(1)).flatten(1)

    def offered(self, around: Tensor) -> Tensor:
        """Return the vectors (S, C, offsets * features) of the cells around each candidate."""
        return around.flatten(-2)

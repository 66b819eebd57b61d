"""The dictionary of symbols and messages, one episode and one number at a time: the slow twin."""

import functools
import itertools
import math

from spatial_game.game.episodes import HIDDEN, MASK
from spatial_game.language.dictionary.thresholds import LEAST_OWN_WEIGHT, STANDARD_ERRORS
from spatial_game.language.dictionary.variable import CONCENTRATIONS, EXPONENTS, LEAST, PSEUDO_EPISODES

VIEW = "view"


def rising(count, start):
    return math.lgamma(count + start) - math.lgamma(start)


def coordinates(config):
    return list(itertools.product(*(range(size) for size in config.window_shape)))


def shown_in(config, window):
    """Return {offset: integer} of the cells that are seen, and the view: the mask and these offsets."""
    places = coordinates(config)
    mask = places[[*window].index(MASK)]
    cells = {}
    for place, integer in zip(places, window, strict=True):
        offset = tuple(p - m for p, m in zip(place, mask, strict=True))
        if integer not in (MASK, HIDDEN):
            cells[offset if len(offset) > 1 else offset[0]] = int(integer)
    return cells, (mask, frozenset(cells))


def all_views(config):
    """Return {view: share}: each target equally often, each set of visible cells equally often."""
    views = {}
    for target in itertools.product(*(range(size) for size in config.shape)):
        first = [
            min(max(t - config.window_radius, 0), size - width)
            for t, size, width in zip(target, config.shape, config.window_shape, strict=True)
        ]
        mask = tuple(t - f for t, f in zip(target, first, strict=True))
        offsets = [tuple(p - m for p, m in zip(place, mask, strict=True)) for place in coordinates(config)]
        offsets = [o if len(o) > 1 else o[0] for o in offsets if any(o)]
        sets = list(itertools.combinations(offsets, config.num_shown))
        for seen in sets:
            view = mask, frozenset(seen)
            views[view] = views.get(view, 0) + 1 / config.sequence_length / len(sets)
    return views


class SlowVariable:
    """What messages say of one variable.

    `events` are pairs of a message and a value, `words` all messages, and `q` is {value: share}.
    """

    def __init__(self, events, message_counts, q, length):
        self.events, self.q, self.length = events, q, length
        self.symbol_counts, self.message_counts = {}, {message: {} for message in message_counts}
        for message, value in events:
            of_message = self.message_counts[message]
            of_message[value] = of_message.get(value, 0) + 1
            for slot, symbol in enumerate(message):
                of_symbol = self.symbol_counts.setdefault((slot, symbol), {})
                of_symbol[value] = of_symbol.get(value, 0) + 1

    def likelihood_of_symbols(self, slot, a):
        total = 0.0
        for (at, _), counts in self.symbol_counts.items():
            if at == slot:
                total += sum(rising(count, a * self.q[value]) for value, count in counts.items())
                total -= rising(sum(counts.values()), a)
        return total

    def fit_to(self, a, exponent, told):
        """Take the pseudo-episodes and the exponent that the other side found; they must be the best ones.

        Whether anything is told must be right, too, unless it hangs on a rounding error.
        """
        for slot in range(self.length):
            fits = [self.likelihood_of_symbols(slot, each) for each in PSEUDO_EPISODES]
            assert self.likelihood_of_symbols(slot, a[slot]) >= max(fits) - 1e-6
        self.a = a
        fits = [self.left_out_likelihood(each) for each in EXPONENTS]
        assert self.left_out_likelihood(exponent) >= max(fits) - 1e-6
        self.exponent = exponent
        self.weights, gains = self.fit_messages()
        mean = sum(gains) / max(len(gains), 1)
        error = math.sqrt(sum((gain - mean) ** 2 for gain in gains)) / max(len(gains), 1)
        margin = mean - STANDARD_ERRORS * error
        assert told == (margin > 0) or abs(margin) < 1e-9
        self.informative = told

    def of_symbol(self, slot, symbol, value, left_out=0):
        counts = self.symbol_counts.get((slot, symbol), {})
        a = self.a[slot]
        own = max(counts.get(value, 0) - left_out + a * self.q[value], LEAST if left_out else 0)
        return own / (sum(counts.values()) - left_out + a)

    def by_symbols(self, message, exponent=None):
        """Return {value: p1}, and what normalises it."""
        exponent = self.exponent if exponent is None else exponent
        p = {}
        for value, q in self.q.items():
            p[value] = q
            for slot, symbol in enumerate(message):
                p[value] *= (self.of_symbol(slot, symbol, value) / q) ** exponent
        norm = sum(p.values())
        return {value: each / norm for value, each in p.items()}, norm

    def left_out(self, message, value, norm, exponent):
        """Return p1 of a value without one of its episodes; the norm stays."""
        p = self.q[value] / norm
        for slot, symbol in enumerate(message):
            p *= (self.of_symbol(slot, symbol, value, 1) / self.q[value]) ** exponent
        return p

    def left_out_likelihood(self, exponent):
        norms = {message: self.by_symbols(message, exponent)[1] for message in self.message_counts}
        return sum(math.log2(self.left_out(m, v, norms[m], exponent)) for m, v in self.events)

    def fit_messages(self):
        """Return {message: (weight of symbols, weight of q)}, and the left-out bits of each episode."""
        base = {}
        for message, counts in self.message_counts.items():
            norm = self.by_symbols(message)[1]
            for value in counts:
                p = max(min(self.left_out(message, value, norm, self.exponent), 1), LEAST)
                base[message, value] = p, self.q[value]
        priors = [(kind, a) for kind in (0, 1) for a in CONCENTRATIONS]
        fit = {
            message: [
                sum(rising(c, a * base[message, v][kind]) for v, c in counts.items())
                - rising(sum(counts.values()), a)
                for kind, a in priors
            ]
            for message, counts in self.message_counts.items()
        }
        share = [1 / len(priors)] * len(priors)
        for _ in range(30):
            weight = {}
            for message, fits in fit.items():
                most = max(f + math.log(s) for f, s in zip(fits, share, strict=True))
                each = [math.exp(f + math.log(s) - most) for f, s in zip(fits, share, strict=True)]
                weight[message] = [w / sum(each) for w in each]
            sums = [sum(w[j] for w in weight.values()) for j in range(len(priors))]
            share = [(s + 0.1) / (len(weight) + 0.1 * len(priors)) for s in sums]
        weights, gains = {}, []
        for message, counts in self.message_counts.items():
            total = sum(counts.values())
            parts = [w * a / (total + a) for w, (_, a) in zip(weight[message], priors, strict=True)]
            w, u = sum(parts[: len(parts) // 2]), sum(parts[len(parts) // 2 :])
            weights[message] = (w, u) if w + u < 1 - LEAST_OWN_WEIGHT else (w / (w + u), u / (w + u))
            for value, count in counts.items():
                inverse = 0.0
                for each, (kind, a) in zip(weight[message], priors, strict=True):
                    inverse += each * (total - 1 + a) / (count - 1 + a * base[message, value][kind])
                gains += [math.log2(1 / inverse / self.q[value])] * count
        return weights, gains

    @functools.cache  # noqa: B019
    def said(self, message, symbols_only=False):
        """Return {value: p2}, or {value: p1} by symbols alone."""
        if not self.informative:
            return self.q
        p1, counts = self.by_symbols(message)[0], self.message_counts.get(message)
        if counts is None or symbols_only:
            return p1
        w, u = self.weights[message]
        total = max(sum(counts.values()), 1)
        return {v: (1 - w - u) * counts.get(v, 0) / total + w * p1[v] + u * q for v, q in self.q.items()}


def in_total(bits):
    """Return the sum of bits by variable, less what repetition takes away."""
    by_place, repeated = bits
    return sum(by_place.values()) - repeated


class SlowDictionary:
    """What messages say of windows. `dictionary`: the other side, whose grid points must be the best ones."""

    def __init__(self, config, windows, messages, dictionary):
        self.config = config
        events = {place: [] for place in (*config.offsets, VIEW)}
        self.often = {}
        for number, (window, message) in enumerate(zip(windows, messages, strict=True)):
            if number % 10 != 9:
                message = tuple(message)
                cells, view = shown_in(config, window)
                self.often[message] = self.often.get(message, 0) + 1
                events[VIEW].append((message, view))
                for offset, integer in cells.items():
                    events[offset].append((message, integer))
        even = dict.fromkeys(range(config.num_integers), 1 / config.num_integers)
        self.views, self.variables = all_views(config), {}
        for place, found in zip(events, dictionary.variables, strict=True):
            q = self.views if place == VIEW else even
            self.variables[place] = SlowVariable(events[place], self.often, q, config.message_length)
            self.variables[place].fit_to(found.pseudo_episodes.tolist(), found.exponent, found.informative)

    def bits(self, message, window, symbols_only=False):
        """Return what a message tells of a window: {place: bits}, and what repetition takes away."""
        return self.bits_of(message, *shown_in(self.config, window), symbols_only)

    def bits_of(self, message, cells, view, symbols_only=False):
        shown = {offset: cells[offset] for offset in view[1]} | {VIEW: view}
        by_place = {}
        for place, value in shown.items():
            variable = self.variables[place]
            p = max(variable.said(message, symbols_only)[value], LEAST)
            by_place[place] = math.log2(p / variable.q[value])
        return by_place, self.repetition(message, view, symbols_only)

    def repetition(self, message, view, symbols_only):
        """Return log2 of the share of windows without repetition, over the share in the game."""
        variables = [self.variables[offset] for offset in view[1]]
        told = [variable.said(message, symbols_only) for variable in variables if variable.informative]
        k = self.config.num_integers
        if len(told) > 4:
            pairs = list(itertools.combinations(told, 2))
            same = [sum(one[v] * other[v] for v in range(k)) for one, other in pairs]
            return sum(math.log2(max(1 - each, 1e-3) / (1 - 1 / k)) for each in same)
        share = sum(
            math.prod(p[v] for p, v in zip(told, values, strict=True))
            for values in itertools.permutations(range(k), len(told))
        )
        return math.log2(max(share, LEAST) / math.prod(1 - i / k for i in range(len(told))))

    def bits_of_candidate(self, message, whole):
        """Return what a message tells of a whole window (W,), which the sender may have seen in part."""
        cells, (mask, _) = shown_in(self.config, whole)
        found = [in_total(self.bits_of(message, cells, view)) for view in self.views if view[0] == mask]
        return math.log2(sum(2**bits for bits in found) / len(found))

    def score(self, message, window):
        """Return by what the speaker chooses a word for a window."""
        return in_total(self.bits(message, window)) + math.log2(
            self.often[message] / sum(self.often.values())
        )

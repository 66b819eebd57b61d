"""The analyser's slow, obvious twin: the definitions of the events, word by word, one episode at a time."""

import math
from collections import Counter, defaultdict

import numpy as np
from scipy.stats import hypergeom

from spatial_game.language.counting.ngrams import NGram
from spatial_game.language.npmi.referents import Referent


def analyse(config, windows, messages, settings):
    """{(NGram, Referent): {npmi, joint, ngram_total, referent_total, p, q}} of the admitted associations."""
    episodes = [(tuple(map(int, w)), tuple(map(int, m))) for w, m in zip(windows, messages, strict=True)]
    return Reference(config, episodes, settings).associations


class Reference:
    def __init__(self, config, episodes, settings):
        self.config, self.episodes, self.settings = config, episodes, settings
        self.n = len(episodes)
        edges = self.table("edge", [(whole(m), edge(config, w)) for w, m in episodes])
        integers_at = self.table("integer_at", [(whole(m), placed(w)) for w, m in episodes])
        integers = self.table("integer", [(ngrams(m), visible(w)) for w, m in episodes])
        self.integer_ngrams = sorted(
            integers, key=lambda e: (-e["npmi"], -len(e["ngram"].symbols), e["ngram"].slot is None)
        )
        named = [self.named(w, m) for w, m in episodes]
        found = present(episodes, named)
        offsets = self.table(
            "offset", [(beside(m, at, n), {Referent(offset=o)}) for (_, m), (at, n, o) in found]
        )
        everything = [*edges, *integers_at, *integers, *offsets]
        self.associations = {(e["ngram"], e["referent"]): e for e in everything}

    # The n-gram of an integer, and the offset

    def named(self, window, message):
        """(slot, length, offset) of the integer that a message names in a window; None if none."""
        found = []
        for association in self.integer_ngrams:
            ngram = association["ngram"]
            slots = occurrences(ngram, message)
            if slots:
                found.append(
                    (-association["npmi"], -len(ngram.symbols), slots[0], ngram.slot is None, association)
                )
        for _, minus_length, slot, _, association in sorted(found, key=lambda f: f[:4]):
            for value in association["referent"].integers:
                if value in window:
                    return slot, -minus_length, window.index(value) - window.index(-1)
        return None

    # Tables

    def table(self, kind, population):
        """The admitted associations among all pairs of a ngram and a referent of one kind."""
        s, total = self.settings, len(population)
        seen, referents, joint = Counter(), Counter(), Counter()
        for its_forms, its_referents in population:
            seen.update(its_forms)
            referents.update(its_referents)
            joint.update((f, r) for f in its_forms for r in its_referents)
        p = tails(joint, seen, referents, total)
        q = dict.fromkeys(p, 1.0)
        tested = {pair: p[pair] for pair in p if seen[pair[0]] >= s.min_count <= referents[pair[1]]}
        family = sum(c >= s.min_count for c in seen.values()) * sum(
            c >= s.min_count for c in referents.values()
        )
        q.update(benjamini_hochberg(tested, family))
        choices = defaultdict(list)
        for ngram, referent in joint:
            choices[ngram, referent.offset if kind == "integer_at" else None].append(referent)
        associations = []
        for (ngram, _), options in choices.items():
            measured = {
                r: self.npmi(kind, ngram, r, joint[ngram, r], seen[ngram], referents[r], total)
                for r in options
            }
            if s.top_n == 1 or kind in ("edge", "offset"):
                best = min(options, key=lambda r: (-measured[r], -joint[ngram, r], order(self.config, r)))
                worst, count, referent_total = [best], joint[ngram, best], referents[best]
            else:
                options = [r for r in options if q[ngram, r] <= s.significance]
                options.sort(key=lambda r: (-joint[ngram, r], -measured[r], order(self.config, r)))
                worst = options[: s.top_n]
                if not worst:
                    continue
                best = united(worst)
                count = sum(ngram in fs and any(r in rs for r in worst) for fs, rs in population)
                referent_total = sum(any(r in rs for r in worst) for _, rs in population)
            value = self.npmi(kind, ngram, best, count, seen[ngram], referent_total, total)
            association = {
                "ngram": ngram,
                "referent": best,
                "npmi": min(1.0, max(-1.0, value)),
                "joint": count,
                "ngram_total": seen[ngram],
                "referent_total": referent_total,
                "p": max(p[ngram, r] for r in worst),
                "q": max(q[ngram, r] for r in worst),
            }
            least = s.least_offset_npmi if kind == "offset" else s.threshold
            if (
                count >= s.min_count
                and association["q"] <= s.significance
                and association["npmi"] >= least
                and count >= s.least_confidence * seen[ngram]
            ):
                associations.append(association)
        return associations

    def npmi(self, kind, ngram, referent, joint, ngram_total, referent_total, total):
        if joint == 0:
            return -1.0
        if self.settings.estimator == "exact":
            return npmi(joint / total, ngram_total / total, referent_total / total)
        c, p_joint, p_form = self.config, joint / self.n, ngram_total / self.n
        by_code = self.settings.estimator == "code"
        if kind == "integer" and ngram.slot is None:
            slots = c.message_length + 1 - len(ngram.symbols)
            p_form /= slots
            p_joint /= slots if by_code else 1
        if kind == "edge":
            p_referent = referent_total / self.n
        elif kind == "offset":
            p_referent = sum(has_cell(w, referent.offset) for w, _ in self.episodes) / self.n
            having = sum(bool(occurrences(ngram, m)) for _, m in self.episodes) / self.n
            p_form = having if by_code else p_joint
        elif len(referent.integers) == 1 and not by_code:
            p_referent = 1 / c.num_integers
        else:
            seen, others = 2 * c.window_radius - c.num_hidden, c.num_integers - len(referent.integers)
            p_referent = 1 - math.comb(others, seen) / math.comb(c.num_integers, seen)
        return npmi(p_joint, p_form, p_referent) * (10 if by_code and kind == "offset" else 1)


def whole(message):
    return {NGram(message, 0)}


def ngrams(message):
    grams = {(message[i : i + n], i) for n in range(1, len(message)) for i in range(len(message) - n + 1)}
    return {NGram(g, i) for g, i in grams} | {NGram(g, None) for g, _ in grams}


def beside(message, slot, length):
    """The n-grams wholly on one side of the integer n-gram at this slot."""
    parts = [(message[:slot], 0), (message[slot + length :], slot + length)]
    found = set()
    for part, start in parts:
        for n in range(1, len(part) + 1):
            for i in range(len(part) - n + 1):
                found |= {NGram(part[i : i + n], start + i), NGram(part[i : i + n], None)}
    return found


def occurrences(ngram, message):
    """The slots at which a ngram stands in a message."""
    n = len(ngram.symbols)
    slots = [i for i in range(len(message) - n + 1) if message[i : i + n] == ngram.symbols]
    return slots if ngram.slot is None else [i for i in slots if i == ngram.slot]


def edge(config, window):
    mask = window.index(-1)
    return {Referent(edge=config.edges[mask])} if mask != config.window_radius else set()


def placed(window):
    mask = window.index(-1)
    return {Referent(None, (k,), i - mask) for i, k in enumerate(window) if k >= 0}


def visible(window):
    return {Referent(None, (k,)) for k in window if k >= 0}


def has_cell(window, offset):
    return 0 <= window.index(-1) + offset < len(window)


def united(referents):
    return Referent(None, tuple(r.integers[0] for r in referents), referents[0].offset)


def order(config, referent):
    """The place of a referent among those of its kind."""
    if referent.edge:
        return config.edges.index(referent.edge)
    return referent.integers or referent.offset


def present(episodes, named):
    return [(episode, found) for episode, found in zip(episodes, named, strict=True) if found is not None]


def npmi(joint, ngram, referent):
    if joint == 1:
        return 0.0 if ngram * referent == 1 else math.inf
    return round(math.log(joint / (ngram * referent)) / -math.log(joint), 12)


def tails(joint, seen, referents, total):
    """The hypergeometric tail of each pair, in one call of SciPy, which takes as long for one as for all."""
    counts = list(joint.values())
    known = [(seen[ngram], referents[referent]) for ngram, referent in joint]
    ngram_totals, referent_totals = np.array(known, dtype=int).reshape(-1, 2).T
    found = hypergeom.sf(np.array(counts, dtype=int) - 1, total, referent_totals, ngram_totals)
    return dict(zip(joint, found.tolist(), strict=True))


def benjamini_hochberg(p_values, family):
    ranked = sorted(p_values, key=lambda key: p_values[key])
    adjusted, least = {}, 1.0
    for rank in range(len(ranked), 0, -1):
        key = ranked[rank - 1]
        least = min(least, p_values[key] * family / rank)
        adjusted[key] = least
    return adjusted

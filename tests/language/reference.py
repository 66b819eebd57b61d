"""The analyser's slow, obvious twin: the definitions of the events, word by word, one episode at a time."""

import math
from collections import Counter, defaultdict

import numpy as np
from scipy.stats import hypergeom

from spatial_game.language.counting.forms import Form
from spatial_game.language.counting.places import EDGE
from spatial_game.language.meaning import Meaning


def analyse(config, windows, messages, settings):
    """{(Form, Referent): {npmi, count, confidence, p, q, derived}} of the admitted entries."""
    episodes = [(tuple(map(int, w)), tuple(map(int, m))) for w, m in zip(windows, messages, strict=True)]
    return Reference(config, episodes, settings).entries


class Reference:
    def __init__(self, config, episodes, settings):
        self.config, self.episodes, self.settings = config, episodes, settings
        self.n = len(episodes)
        edges = self.table("edge", [(whole(m), edge(config, w)) for w, m in episodes])
        integers_at = self.table("integer_at", [(whole(m), placed(w)) for w, m in episodes])
        integers = self.table("integer", [(ngrams(m), visible(w)) for w, m in episodes])
        self.words = sorted(
            integers,
            key=lambda e: (-e["npmi"], -len(e["form"].symbols), e["form"].slot is None),
        )
        named = [self.named(w, m) for w, m in episodes]
        found = present(episodes, named)
        population = [(beside(m, at, n), {Meaning(o, ())}) for (_, m), (at, n, o, _) in found]
        offsets = self.table("offset", population)
        words = [entry for _, (_, _, _, entry) in found]
        self.mark_derived(edges, integers_at, integers, offsets, population, words)
        everything = [*edges, *integers_at, *integers, *offsets]
        self.entries = {(e["form"], e["referent"]): e for e in everything}

    # Step 2: the word and the offset

    def named(self, window, message):
        """(slot, length, offset, word) of the integer that a message names in a window; None if none."""
        found = []
        for entry in self.words:
            form = entry["form"]
            slots = occurrences(form, message)
            if slots:
                found.append((-entry["npmi"], -len(form.symbols), slots[0], form.slot is None, entry))
        for _, minus_length, slot, _, entry in sorted(found, key=lambda f: f[:4]):
            for value in entry["referent"].values:
                if value in window:
                    return slot, -minus_length, window.index(value) - window.index(-1), entry
        return None

    # Tables

    def table(self, kind, population):
        """The admitted entries among all pairs of a form and a referent of one kind."""
        s, total = self.settings, len(population)
        forms, referents, joint = Counter(), Counter(), Counter()
        for its_forms, its_referents in population:
            forms.update(its_forms)
            referents.update(its_referents)
            joint.update((f, r) for f in its_forms for r in its_referents)
        p = tails(joint, forms, referents, total)
        q = dict.fromkeys(p, 1.0)
        tested = {pair: p[pair] for pair in p if forms[pair[0]] >= s.min_count <= referents[pair[1]]}
        family = sum(c >= s.min_count for c in forms.values()) * sum(
            c >= s.min_count for c in referents.values()
        )
        q.update(benjamini_hochberg(tested, family))
        choices = defaultdict(list)
        for form, referent in joint:
            choices[form, referent.place if kind == "integer_at" else None].append(referent)
        entries = []
        for (form, _), options in choices.items():
            measured = {
                r: self.npmi(kind, form, r, joint[form, r], forms[form], referents[r], total) for r in options
            }
            if s.top_n == 1 or kind in ("edge", "offset"):
                best = min(options, key=lambda r: (-measured[r], -joint[form, r], order(self.config, r)))
                worst, count, referent_total = [best], joint[form, best], referents[best]
            else:
                options = [r for r in options if q[form, r] <= s.significance]
                options.sort(key=lambda r: (-joint[form, r], -measured[r], order(self.config, r)))
                worst = options[: s.top_n]
                if not worst:
                    continue
                best = united(worst)
                count = sum(form in fs and any(r in rs for r in worst) for fs, rs in population)
                referent_total = sum(any(r in rs for r in worst) for _, rs in population)
            value = self.npmi(kind, form, best, count, forms[form], referent_total, total)
            entry = {
                "form": form,
                "referent": best,
                "npmi": min(1.0, max(-1.0, value)),
                "count": count,
                "confidence": count / forms[form],
                "p": max(p[form, r] for r in worst),
                "q": max(q[form, r] for r in worst),
                "derived": False,
            }
            least = s.least_offset_npmi if kind == "offset" else s.threshold
            if (
                count >= s.min_count
                and entry["q"] <= s.significance
                and entry["npmi"] >= least
                and entry["confidence"] >= s.least_confidence
            ):
                entries.append(entry)
        return entries

    def npmi(self, kind, form, referent, joint, form_total, referent_total, total):
        if joint == 0:
            return -1.0
        if self.settings.estimator == "exact":
            return npmi(joint / total, form_total / total, referent_total / total)
        c, p_form = self.config, form_total / self.n
        integers = c.num_integers
        if kind == "integer" and form.slot is None:
            p_form /= c.message_length + 1 - len(form.symbols)
        if kind == "edge":
            p_referent = referent_total / self.n
        elif kind == "offset":
            p_referent = sum(has_cell(w, referent.place) for w, _ in self.episodes) / self.n
        elif len(referent.values) == 1:
            p_referent = 1 / integers
        else:
            seen = 2 * c.window_radius - c.num_hidden
            p_referent = 1 - math.comb(integers - len(referent.values), seen) / math.comb(integers, seen)
        return npmi(joint / self.n, p_form, p_referent)

    # Listing

    def mark_derived(self, edges, integers_at, integers, offsets, population, words):
        for table in (integers, offsets):
            for entry in table:
                for other in table:
                    if (
                        entry["form"].symbols == other["form"].symbols
                        and meaning(entry["referent"]) == meaning(other["referent"])
                        and entry["form"].slot is not None
                        and other["form"].slot is None
                    ):
                        mostly_here = entry["count"] >= 0.9 * other["count"]
                        (other if mostly_here else entry)["derived"] = True
        for entry in integers:
            at = Counter()
            for window, message in self.episodes:
                if occurrences(entry["form"], message):
                    mask = window.index(-1)
                    at.update(window.index(v) - mask for v in entry["referent"].values if v in window)
            entry["at one offset"] = max(at.values()) >= 0.8 * entry["count"]
            entry["derived"] |= entry["at one offset"]
        for entry in offsets:
            beside_unlisted = sum(
                entry["form"] in forms and entry["referent"] in referents and word["at one offset"]
                for (forms, referents), word in zip(population, words, strict=True)
            )
            entry["derived"] |= beside_unlisted >= 0.8 * entry["count"]
        for table in (edges, integers_at, integers, offsets):
            for entry in table:
                entry["derived"] |= any(misspells(entry, other) for other in table)
        for entry in integers_at:
            message = entry["form"].symbols
            entry["derived"] |= any(
                set(entry["referent"].values) <= set(word["referent"].values)
                and place["referent"].place == entry["referent"].place
                and side_by_side(word["form"], place["form"], message)
                for word in integers
                if not word["derived"]
                for place in offsets
                if not place["derived"]
            )


def whole(message):
    return {Form(message, 0)}


def ngrams(message):
    grams = {(message[i : i + n], i) for n in range(1, len(message)) for i in range(len(message) - n + 1)}
    return {Form(g, i) for g, i in grams} | {Form(g, None) for g, _ in grams}


def beside(message, slot, length):
    """The n-grams wholly on one side of the word at this slot."""
    parts = [(message[:slot], 0), (message[slot + length :], slot + length)]
    found = set()
    for part, start in parts:
        for n in range(1, len(part) + 1):
            for i in range(len(part) - n + 1):
                found |= {Form(part[i : i + n], start + i), Form(part[i : i + n], None)}
    return found


def occurrences(form, message):
    """The slots at which a form stands in a message."""
    n = len(form.symbols)
    slots = [i for i in range(len(message) - n + 1) if message[i : i + n] == form.symbols]
    return slots if form.slot is None else [i for i in slots if i == form.slot]


def side_by_side(form, other, message):
    return any(
        i + len(form.symbols) <= j or j + len(other.symbols) <= i
        for i in occurrences(form, message)
        for j in occurrences(other, message)
    )


def meaning(referent):
    """A referent, whatever the order of its integers."""
    return referent.place, set(referent.values)


def misspells(entry, other):
    one, two = entry["form"], other["form"]
    return (
        meaning(entry["referent"]) == meaning(other["referent"])
        and one.slot == two.slot
        and len(one.symbols) == len(two.symbols) >= 2
        and sum(a != b for a, b in zip(one.symbols, two.symbols, strict=True)) == 1
        and other["count"] >= 20 * entry["count"]
    )


def edge(config, window):
    mask = window.index(-1)
    return {Meaning(EDGE, (config.edges[mask],))} if mask != config.window_radius else set()


def placed(window):
    mask = window.index(-1)
    return {Meaning(i - mask, (k,)) for i, k in enumerate(window) if k >= 0}


def visible(window):
    return {Meaning(None, (k,)) for k in window if k >= 0}


def has_cell(window, offset):
    return 0 <= window.index(-1) + offset < len(window)


def united(referents):
    values = tuple(r.values[0] for r in referents)
    first = referents[0]
    return Meaning(first.place, values)


def order(config, referent):
    """The place of a referent among those of its kind."""
    if referent.place == EDGE:
        return config.edges.index(referent.values[0])
    return referent.values or referent.place


def present(episodes, named):
    return [(episode, found) for episode, found in zip(episodes, named, strict=True) if found is not None]


def npmi(joint, form, referent):
    if joint == 1:
        return 0.0 if form * referent == 1 else math.inf
    return round(math.log(joint / (form * referent)) / -math.log(joint), 12)


def tails(joint, forms, referents, total):
    """The hypergeometric tail of each pair, in one call of SciPy, which takes as long for one as for all."""
    counts = list(joint.values())
    known = [(forms[form], referents[referent]) for form, referent in joint]
    form_totals, referent_totals = np.array(known, dtype=int).reshape(-1, 2).T
    found = hypergeom.sf(np.array(counts, dtype=int) - 1, total, referent_totals, form_totals)
    return dict(zip(joint, found.tolist(), strict=True))


def benjamini_hochberg(p_values, family):
    ranked = sorted(p_values, key=lambda key: p_values[key])
    adjusted, least = {}, 1.0
    for rank in range(len(ranked), 0, -1):
        key = ranked[rank - 1]
        least = min(least, p_values[key] * family / rank)
        adjusted[key] = least
    return adjusted

"""Table 1: which types of messages emerge, and the messages for edges."""

from __future__ import annotations

import itertools
from statistics import fmean

from spatial_game.language.npmi.message_types import MESSAGE_TYPES
from spatial_game.reproduction import paper
from spatial_game.reproduction.groups import trainings
from spatial_game.reproduction.results import ESTIMATORS, Results
from spatial_game.reproduction.sections import Row, Rows, Section


def emergence_rows(results: Results) -> Rows:
    """Yield which types of messages emerge, by family and estimator."""
    families = results.families().items()
    for (kind, name), (family, pairs), estimator in itertools.product(
        MESSAGE_TYPES.items(), families, ESTIMATORS
    ):
        in_pairs = [pair.types(estimator, kind) for pair in pairs]
        emerged = [share for shares in in_pairs for share in shares if share.vocabulary]
        ours = {
            "pairs": [fmean(share.vocabulary > 0 for share in cell) for cell in zip(*in_pairs, strict=True)],
            "messages": [share.vocabulary for share in emerged],
            "episodes": [share.episodes for share in emerged],
        }
        printed = paper.EMERGENCE[kind] if pairs[0].config.sequence_length == paper.LENGTH else ()
        theirs = dict(zip(ours, printed, strict=False))
        for share_of, values in ours.items():
            row: Row = {"Type": name, "Family": family, "Pairs": trainings(pairs), "Estimator": estimator}
            row["Share of the"] = share_of
            if values:
                row |= {"Mean": fmean(values), "Smallest": min(values), "Largest": max(values)}
            if share_of in theirs:
                names = ("Paper: mean", "Paper: smallest", "Paper: largest")
                row |= {n: percent / 100 for n, percent in zip(names, theirs[share_of], strict=True)}
            yield row


EMERGENCE = Section(
    "Emergence and coverage",
    """\
Table 1 of the paper: the share of the pairs in which a type of message emerges, over the cells of the
grid, and its share of the messages and of the episodes, over all pairs and cells in which it emerges: mean,
smallest and largest. So a pair in which a type emerges in more cells has more weight. (In the first table,
each independent training has the same weight.) The column Pairs counts those of one population as one, but
the shares are over all of them. The paper's figures are over cells, and by its published program. A message
of type *Reserved* repeats one symbol that is sent only at edges; the paper's program asks instead that at
most two messages have the symbol.""",
    "Type | Family | Pairs :d | Estimator | Share of the | Mean :.1% | Smallest :.1% | Largest :.1% | "
    "Paper: mean :.1% | Paper: smallest :.1% | Paper: largest :.1%",
    emergence_rows,
)


def edge_rows(results: Results) -> Rows:
    """Yield the messages for edges, by pair."""
    for name, pair in results.pairs.items():
        at_default = pair.by_estimator["exact"].at(0.5, 1)  # t_c and t_n of the default settings
        yield {
            "Pair": name,
            "Edges with messages of their own": pair.edges,
            "Such messages": pair.edge_messages,
            "Reserved": at_default.types["reserved"].messages,
        }


EDGES = Section(
    "Messages for edges, by pair",
    """\
In the paper, over 90% of the pairs have a separate message for each edge, and 20% of these pairs reserve
symbols for edges. A message belongs to an edge if their NPMI is at least 0.5 (estimator exact), and the
target is there in at least 80% of the message's episodes. Reserved: how many of them repeat one symbol that
is sent only at edges.""",
    "Pair | Edges with messages of their own :d | Such messages :, | Reserved :,",
    edge_rows,
)

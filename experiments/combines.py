"""Do symbols combine? The verdict on each bundled pair: the table of *Findings*.

    OMP_NUM_THREADS=1 python experiments/combines.py --out docs/_static/findings/combines.csv
    python experiments/combines.py --pairs landmark-60/0             (prints a row; some seconds)

It is what `spatial-game evaluate PAIR --study combines` measures, in 20,000 episodes, with a dictionary of
100,000.
"""

from rows import make_rows, pairs_of

from spatial_agents import load_pair
from spatial_game.studies.combines import combines

COMPOSED = {"symbol by symbol": "symbols", "offset and integer": "offset_integer"}


def rows_of(name):
    """Yield the figures of one pair."""
    found = combines(load_pair(name)).results
    row = {"pair": name, "verdict": found["verdict"], "degree": found["degree"] or ""}
    row |= {
        end: f"{value:.4f}"
        for end, value in zip(("scaled", "low", "high"), found["scaled"] or (), strict=False)
    }
    row |= {who: f"{found[who]['accuracy']:.4f}" for who in ("own", "dictionary")}
    row["sent"] = f"{found['sent']:.4f}"
    for name, short in COMPOSED.items():
        part = found["asked"][name]
        row |= {
            f"{short}_never_sent": f"{part['never_sent']:.4f}",
            f"{short}_need_two": f"{part['need_two']:.4f}",
            f"{short}_windows": str(part["windows"]),
            **{f"{short}_{name}": f"{part[name]:.4f}" for name in ("accuracy", "low", "high", "elsewhere")},
        }
    yield row


if __name__ == "__main__":
    make_rows(__doc__, rows_of, pairs_of())

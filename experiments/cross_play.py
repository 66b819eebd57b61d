"""Do strangers understand each other? Every sender with every receiver of the pairs of 60 integers.

    python experiments/cross_play.py --out docs/_static/evaluation/cross-play.csv
    python experiments/cross_play.py --pairs embed-60/0 paper-60/0                       (prints the table)

A cell is the share of 1,000 episodes that the receiver of the column wins with the sender of the row. It is
what `spatial-game evaluate embed-60/all paper-60/all --cross-play --episodes 1000 --seed 1` prints.
"""

from rows import pairs_of, parser_of, save

from spatial_agents import load_pair
from spatial_game.studies.cross_play import cross_play

EPISODES, SEED = 1_000, 1


def main():
    parser = parser_of(__doc__)
    parser.add_argument("--pairs", nargs="+", default=pairs_of("embed-60", "paper-60"))
    options = parser.parse_args()
    pairs = {name: load_pair(name) for name in options.pairs}
    won = cross_play(pairs, EPISODES, SEED).results["accuracy"]
    rows = [
        {
            "Sender": sender,
            **{name: f"{cell['accuracy']:.3f}" for name, cell in zip(options.pairs, row, strict=True)},
        }
        for sender, row in zip(options.pairs, won, strict=True)
    ]
    save(rows, options.out)


if __name__ == "__main__":
    main()

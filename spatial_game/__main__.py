"""`python -m spatial_game`, the same as `spatial-game`."""

import sys

from spatial_game.cli import main

if __name__ == "__main__":
    sys.exit(main())

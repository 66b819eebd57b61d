"""`python -m spatial_game.cli`, the same as `spatial-game`."""

import sys

from spatial_game.cli import main

if __name__ == "__main__":
    sys.exit(main())

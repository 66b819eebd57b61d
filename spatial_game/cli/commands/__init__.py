"""The commands, a file for each; `spatial_game.cli.app` has the register. No command imports another one."""

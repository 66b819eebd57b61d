"""The environments. In the order in which they are best read:

- `states`: the state of a game, as integers in a row;
- `buffer`: rows drawn in advance, each game's from its own seed; it alone knows whether games are in step;
- `games`: B games, or one: they play episodes, turn by turn (`reset_arguments` checks what a reset is given);
- `partners` and `roles`: one role as a Gymnasium environment, alone and in batches;
- `vector`: both roles in batches; `spatial_game.referential_v0` has them alone, for PettingZoo;
- `rendered` and `play_recording`: pictures of one game, and recordings of what is played;
- `adapters`: other libraries.
"""

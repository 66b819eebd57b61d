"""Five ways to learn the game, compared by accuracy against episodes played and against time.

| Name | Who learns | From what | Module |
|---|---|---|---|
| `ppo-receiver` | the receiver, with the oracle sender | the reward, by PPO | `ppo` |
| `ppo-sender` | the sender, with a trained receiver | the reward, by PPO | `ppo` |
| `ppo-pair` | both, from scratch, in alternation | the reward, by PPO | `ppo` |
| `reinforce` | both, from scratch, together | the reward, by REINFORCE | `joint` |
| `gumbel` | both, from scratch, together | the target, by gradients through the channel | `joint` |

A baseline is a generator: it trains for a while, yields `Progress`, and continues. `curves.trace` times and
tests it. All use `learners.networks`, whose features suit the game. The settings also offer
plainer networks, to show the effect of the features.
"""

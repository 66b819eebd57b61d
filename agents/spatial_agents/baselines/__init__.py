"""Five ways to learn the game, on the same axes: accuracy against episodes played and against time.

| Name | Who learns | From what | Module |
|---|---|---|---|
| `ppo-receiver` | the receiver, with the oracle sender | the reward, by PPO | `ppo` |
| `ppo-sender` | the sender, with a trained receiver | the reward, by PPO | `ppo` |
| `ppo-pair` | both, from scratch, in alternation | the reward, by PPO | `ppo` |
| `reinforce` | both, from scratch, together | the reward, by REINFORCE | `pairs` |
| `gumbel` | both, from scratch, together | the target, by gradients through the channel | `pairs` |

A baseline is a generator: it trains for a while, yields `Progress`, and goes on. `curves.trace` listens,
times it and tests it. All have the networks of `networks`, whose features suit the game; the settings offer
plainer ones, to see what the features are worth.
"""

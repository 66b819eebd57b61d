"""Play the PettingZoo environment with random agents, and show one episode."""

import spatial_game  # noqa: F401  (registers the environments)
from spatial_game import referential_v0

env = referential_v0.env(sequence_length=20, render_mode="ansi")
env.reset(seed=7)

won = 0.0
for _ in range(100):
    for agent in env.agent_iter():
        observation, reward, termination, truncation, info = env.last()
        if termination:
            won += reward if agent == "receiver_0" else 0.0
        env.step(None if termination else env.action_space(agent).sample(info["action_mask"]))
    picture = env.render()
    env.reset()

print(picture)
print(f"\nRandom agents won {won:.0f} of 100 episodes; chance is one in five.")

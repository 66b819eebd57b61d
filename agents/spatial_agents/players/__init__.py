"""The networks of a pair in NumPy: they play what `spatial_agents.networks` learned. Nothing loads torch."""

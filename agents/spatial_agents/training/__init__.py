"""Training: data, objective, schedules, the training loop, and runs of many pairs."""

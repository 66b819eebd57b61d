"""The environments: turn-taking, their PettingZoo and Gymnasium forms, partners and wrappers."""

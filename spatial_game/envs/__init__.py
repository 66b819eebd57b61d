"""The environments: turn-taking, the PettingZoo and Gymnasium interfaces, partners and adapters."""

"""The game itself: episodes, rules, policies and their evaluation. No environment, no analysis."""

"""A lexicon: forms with what they mean, the rules that readers and speakers follow, and their file."""

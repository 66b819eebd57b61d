"""The dictionary: rules that shorten the description of the windows, and the lexicon that holds them."""

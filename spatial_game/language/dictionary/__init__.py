"""The dictionary of a language: the rules that shorten the description of its windows most."""

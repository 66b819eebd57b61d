"""Speaking and reading the language with a lexicon or with the counts."""

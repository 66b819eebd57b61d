"""The dictionary of a language: two tables of counts, what letters say and what words say."""

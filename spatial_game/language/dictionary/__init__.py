"""The dictionary of a language: two tables of counts, what symbols say and what messages say."""

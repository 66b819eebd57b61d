"""The page of a language.

`content` collects what it shows, `summary` answers three questions in words, `sections` puts the rest into
sentences and tables, `data` is what its script draws, and `html` writes the file.
"""

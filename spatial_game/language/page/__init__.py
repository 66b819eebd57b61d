"""The page of a language.

`content` collects its figures. `answers`, `messages` and `symbols` put them into sentences and tables, which
`sections` has in order. `html` writes the file, and `data` is what its script draws.
"""

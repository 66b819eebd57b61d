"""The paper's analysis: what n-grams refer to, by counts, NPMI and thresholds.

Three steps, which `analysis` takes for edges and integers, and then once more for offsets:

1. `count`: in how many episodes n-grams and referents occur, and occur together.
2. `score`: the NPMI of each association, by one of three estimators, and its significance.
3. `admit`: the best referent of each n-gram, if it passes test and thresholds.
"""

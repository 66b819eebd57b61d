"""The paper's tables and figures in one run, from trained pairs.

To measure a pair: `measure_pair` calls the analysis, and asks receivers with `phrases` (`understanding`) and
with exchanged parts of phrases (`minimal_pairs`). `results` is what it returns; `kept_results` keeps it in a
file. To report pairs: `families` and `inference` are the statistics, `tables` has the rows of each table,
`paper` what the paper prints, and `report`, `figures` and `latex` write the files.
"""

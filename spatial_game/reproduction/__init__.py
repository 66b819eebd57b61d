"""The paper's tables and figures in one run, from trained pairs.

| | |
|---|---|
| `measure_pair`, `results` | measure everything that the paper reports on a pair; what is measured |
| `phrases`, `true_phrases` | phrases of the paper's analysis, and episodes in which they are true |
| `understanding`, `minimal_pairs` | how well a receiver understands them, whole and with a part exchanged |
| `kept_results` | the file with the results of a pair |
| `paper` | what the paper prints |
| `families`, `inference` | statistics over pairs |
| `tables`, `report`, `figures`, `latex` | the rows of each table; the files |
"""

"""The readers of the benchmark by name. A module is imported when its reader is used."""

READERS = {
    "description": "ours:ByDescription",
    "npmi": "ours:ByNpmi",
    "majority": "simple:WholeMessages",
    "posdis": "simple:Positional",
    "bosdis": "simple:BagOfSymbols",
    "ibm1": "ibm:IbmModel1",
    "csar": "csar:Greedy",
    "morfessor": "segmenters:Morfessor",
    "bpe": "segmenters:Bpe",
}
"""Where each reader is: its module in this folder, and its class."""
LIBRARIES = {"morfessor": "morfessor", "bpe": "tokenizers"}
"""The libraries of readers that need the extra `benchmark`."""

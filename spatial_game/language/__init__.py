"""Reading the language of a recording: counts, NPMI, significance, lexicon."""

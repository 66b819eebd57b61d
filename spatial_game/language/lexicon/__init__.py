"""From counts to a lexicon: NPMI, significance, selection of entries."""

"""The paper's analysis: NPMI of forms and referents, significance, thresholds."""

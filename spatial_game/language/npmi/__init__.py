"""The paper's analysis: forms and referents by NPMI, significance and thresholds."""

"""The paper's section 5.3: phrases of each kind, the hypotheses, thresholds and minimal pairs."""

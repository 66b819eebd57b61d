"""What tests of several folders share: known languages, strategies, slow and obvious versions."""

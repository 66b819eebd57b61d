"""Entries chosen by description length: what each form means, and the bits that the dictionary explains."""

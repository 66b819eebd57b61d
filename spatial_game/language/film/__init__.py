"""A language over its training or its generations: maps, words and dialects, frame by frame."""

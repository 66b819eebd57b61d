"""A language on one page: what it tells, how messages are built, what they mean, and where it is silent."""

"""Languages whose sender adds up what it sees: additive models of their messages."""

"""Episodes as text, as pictures and in a window."""

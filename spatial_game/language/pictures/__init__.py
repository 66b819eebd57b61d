"""Pictures of a language: what they show, as arrays, and figures of Matplotlib that draw them."""

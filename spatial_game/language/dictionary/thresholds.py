"""The thresholds that decide what is said of a language, each with its reason.

They were tried on languages of the seeds 61, 67 and 71. `experiments/readings.py` measures with another seed
what they lead to.
"""

SIGNIFICANCE = 0.05
"""The expected share of false ones among the entries, and among the members, that pass a test."""
STANDARD_ERRORS = 2
"""A gain is no chance if it is this number of standard errors: 95% of normal errors are smaller."""
SURE_ERRORS = 3
"""Shares add up to one if they do by this number of standard errors. A message that means one of several
things hardly ever fails this by chance."""

# --- Sets ---
LEAST_LIFT = 1.15
"""A member is at least this number of times as probable as in the game; less makes no difference."""
LEAST_BITS = 0.1
"""What an entry or a statement tells at least: what tells less is not worth a line."""
ENOUGH = 40
"""From fewer episodes of a message, the dictionary cannot tell whether it follows its symbols. So it does not
say what they say (otherwise 21% of the integers that messages of `embed-60/0` name after 5,000 episodes are
false, instead of 2%). And p2 counts as this number of episodes where a set's truth is estimated."""
LEAST_OWN_WEIGHT = 0.1
"""A message whose own counts have at most this weight is read without them."""
MIDDLE = 0.3, 0.7
"""Between them lie 40% of the p-values of values that are as frequent as chance has it, and few of others:
those of raised values are near 0, and those of lowered ones near 1."""

# --- Readings ---
NEARLY_ALWAYS = 0.9
"""What is true in this share of the episodes is said without an interval, and a message says it if one of its
symbols does."""
LEAST_SURE = 0.5
"""A reading that is true less often, by its interval, is unsure. Statements that are true together less often
are not joined by "and"."""
LEAST_SENSE = 0.05
"""A sense is listed with this share or more, and a reading that is untrue as often says so."""
FEWEST_READ = 10
"""What a message says in fewer episodes may be chance."""
EDGE_BITS = 1.0
"""An edge, or a cell that is seen, is named if the message makes it more probable by this number of bits."""
RARE_VIEW = 0.001
"""Views that are rarer with a message make no difference."""

# --- Classes ---
LEAST_OVERLAP = 0.8
"""The sets of a class overlap at least as much (Jaccard 1912)."""
LEAST_SHARP = 0.8
"""In at least this share of a class's episodes, one of its members stands there; otherwise it fades out."""
LEAST_SYMBOLS = 3
"""The least number of symbols with sets that make a class."""
MOST_LACKING = 3
"""At most this number of integers that a set lacks, or bands of them, are named."""

# --- Bits ---
LEAST_EXCESS, EXCESS_BY_CHANCE = 0.05, 2.0
"""Bits that a dictionary may explain beyond the entropy of messages. The second is divided by the square root
of the number of held-out episodes: some three standard errors in languages that tell all that they carry."""
LEAST_PROBABLE = 1e-6
"""Targets are not where the game draws them if it draws as few, or as many, near an end more rarely."""
MOST_FITTED = 1.1
"""There are too few episodes if the dictionary explains this number of times the bits of held-out episodes on
those that it was built from: the difference is what it says by chance."""
MOST_UNKNOWN = 0.1
"""If a larger share of the held-out episodes have a new message, nobody knows how many messages there are."""

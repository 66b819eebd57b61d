"""The measures of a language that the field reports: entropy, information, disentanglement, similarity.

A `Measure` is a function of a `Sample` of episodes that returns one or more estimates. `register` names each
one's unit and source, and what it cannot see. `measuring` adds values by chance and intervals, in the same
way for all of them.
"""

from spatial_game.language.measures.measure import own_measure as own_measure
from spatial_game.language.measures.measuring import all_measures as all_measures
from spatial_game.language.measures.sample import Sample as Sample

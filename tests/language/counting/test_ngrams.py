"""How n-grams are written. (Where they stand: the slow twin of `tests/language/npmi/test_analysis.py`.)"""

from spatial_game.language.counting.ngrams import NGram


def test_forms_are_written_as_in_table_3():
    assert NGram((7,), 0).pattern(3) == "[7, m2, m3]"
    assert NGram((7, 8), 1).pattern(3) == "[m1, 7, 8]"
    assert NGram((7, 8), None).pattern(3) == "[.. 7, 8 ..]"

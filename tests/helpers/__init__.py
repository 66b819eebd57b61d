"""What tests of several folders share.

Games and agents
    `strategies`        games of every shape, for hypothesis
    `sizes`             small games, as arguments of environments
    `tiny_pairs`        small games, every kind of network, a training of a second
    `slow_networks`     networks of one's own, whose steps take long while a file exists
    `nested`            compare observations in any format

Languages that are known (experiments/known_languages.py has more)
    `scripted`          senders that are functions, their counts and dictionaries
    `spoken`            such languages of one game, by name
    `oracle_tables`     the oracle's code as tables
    `reproductions`     reproductions of the oracle
    `published`         recordings as the published code writes them
    `pictures`          an episode and a dictionary to be drawn

Slow and obvious versions of the code
    `slow_dictionary`   the dictionary of symbols and messages
    `reference`         the paper's analysis
    `columns`, `held_out_windows`     what a column of counts stands for; combinations that windows show

`calls` has functions for processes.
"""

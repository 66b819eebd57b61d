"""The sections of a page in plain English: sentences and tables, which the terminal and the page share."""

from __future__ import annotations

import functools
from dataclasses import replace

import numpy as np

from spatial_game.language.dictionary.texts import edges_text
from spatial_game.language.page.answers import (
    answers,
    capital,
    rules,
    table_of_slots,
    table_of_variables,
    warnings,
)
from spatial_game.language.page.content import Page
from spatial_game.language.page.messages import messages, same_and_other
from spatial_game.language.page.section import Section
from spatial_game.language.page.symbols import examples, slots_and_order, symbols
from spatial_game.language.wording import end_text
from spatial_game.tables import Table
from spatial_game.text import counted

FREQUENCIES = "How often messages are sent"


@functools.lru_cache(maxsize=2)
def sections(page: Page) -> list[Section]:
    """Return the parts of a page in words, the same objects each time; empty ones are left out."""
    about = (examples, messages, symbols, near_an_end, same_and_other, frequencies, slots_and_order)
    found = []
    for section in (each(page) for each in (in_short, *(() if page.says_nothing else about))):
        tables = {title: table for title, table in section.tables.items() if table.rows}
        found += [replace(section, tables=tables)] if section.sentences or tables else []
    return found


def in_short(page: Page) -> Section:
    """Return what one wants to know first."""
    shown = answers(page)
    said = [rules(page), *(f"{each.question} {each.answer}. {each.sentence}" for each in shown)]
    said += [f"{text}\n{window}" for each in shown for text, window in each.examples]
    tables = {
        "What messages tell, in bits": table_of_variables(page),
        "What symbols tell, in bits": table_of_slots(page),
    }
    return Section("In short", [*said, *warnings(page)], {} if page.says_nothing else tables)


def near_an_end(page: Page) -> Section:
    """Return the message that is sent most often at each edge."""
    rows = [
        (capital(edges_text(page.config, [edge])), page.dictionary.spelt(message), often / total, total)
        for edge, (message, often, total) in enumerate(page.at_edges)
        if total
    ]
    rows.sort(key=lambda row: -row[2])
    table = Table.of("Where | Message | Share :.0% | Episodes :,", rows)
    return Section(f"Near {end_text(page.config)}", [], {"The message that is sent most often": table})


def frequencies(page: Page) -> Section:
    """Return how often messages are sent."""
    share = page.sent / page.sent.sum()
    half = int(np.searchsorted(np.cumsum(share), 0.5)) + 1
    said = (
        f"The most frequent message is sent in {share[0]:.1%} of the episodes. The {half:,} most frequent of "
        f"{counted(len(share), 'message')} make up half of them."
    )
    return Section(FREQUENCIES, [said])

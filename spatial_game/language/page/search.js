"use strict";
// The look-ups of a page: what a message means, and which messages say something.

/** Return a number as people write it. */
function count(number) { return number.toLocaleString("en-GB"); }

/** Return a meaning that can be asked for. */
function example(data) { return `${Math.floor(data.integers / 2)} ${data.example}`; }

/** Return what a message or a part of one means. */
function meaningOf(data, { says }) { return says.map((i) => data.said[i][0]).join(" and ") || "the dictionary does not say"; }

/** Return how sure a meaning is. */
function sure(meaning, share) { return `${meaning} – true in ${Math.round(100 * share)}%`; }

/** Return what a message means, how sure that is, and for what it was sent; or what is wrong with the text. */
function readMessage(data, text) {
  const { length, symbols, messages } = data;
  const rule = `A message has ${length} symbol${length > 1 ? "s" : ""} from 0 to ${symbols - 1}`;
  const given = text.trim().split(/[\s,;]+/).filter(Boolean);
  if (!given.length) return [];
  const wrong = given.find((word) => !/^\d+$/.test(word) || Number(word) >= symbols);
  if (wrong !== undefined) return [`${rule}; got “${wrong}”.`];
  if (given.length !== length) return [`${rule}; got ${given.length}.`];
  const message = given.map(Number).join(" ");
  const found = messages.find(({ form }) => form === message);
  if (!found) {
    const never = data.num_messages === messages.length ? "was never sent" : "is not among the messages that were sent most";
    return [`${message} ${never} in ${count(data.episodes)} episodes.`];
  }
  const { share, episodes, windows } = found;
  const meaning = meaningOf(data, found);
  const sent = `Sent in ${count(episodes)} episodes, such as for ${windows.join(" · ")}.`;
  return [share === null ? `${meaning[0].toUpperCase()}${meaning.slice(1)}.` : `${sure(meaning, share)} of its episodes`, sent];
}

/** Return the entries and the messages that say what a text asks for, the narrowest first; or what is wrong. */
function findMeaning(data, text) {
  const terms = termsOf(data, text.trim().toLowerCase());
  if (!terms.length) return [];
  const wrong = terms.find((term) => term.wrong);
  if (wrong) return [wrong.wrong];
  const lines = [];
  for (const [title, rows] of [["Words", data.words], ["Messages", data.messages]]) {
    const found = rows.map((row) => [width(terms, row.says.flatMap((i) => data.said[i][1])), row]).filter(([wide]) => wide < Infinity)
      .sort(([one, a], [other, b]) => one - other || b.episodes - a.episodes);
    lines.push(`${title}: ${count(found.length)}`);
    for (const [, row] of found.slice(0, 8)) {
      lines.push(`${row.form}: ${sure(meaningOf(data, row), row.share)}, ${count(row.episodes)} episodes`);
    }
  }
  return lines;
}

/** Return the terms that "and" or a comma joins. Places such as "one left and one up" have them too, so the longest is right. */
function termsOf(data, text) {
  const pieces = text.split(/(\s+and\s+|\s*,\s*)/);
  const terms = [];
  while (pieces.length) {
    let [end, term] = [pieces.length, parsed(data, text)];
    while (end > 1 && term.wrong) term = parsed(data, pieces.slice(0, end -= 2).join(""));
    if (pieces[0]) terms.push(term);
    pieces.splice(0, end + 1);
    text = pieces.join("");
  }
  return terms;
}

/** Return the values and the place of a term such as "36 one left", "18-22", or the edge of "the last". */
function parsed(data, term) {
  const cells = data.places.slice(0, -1); // the last place is the edge
  const words = term.replace(/^the target is /, "");
  const edge = data.edge_names.findIndex((name) => name === words || name === `the ${words}`);
  if (edge >= 0) return { values: [edge], fits: (place) => place === cells.length };
  const [, first, last, where] = /^(\d+)(?:\s*-\s*(\d+))?\s*(.*)$/.exec(term) ?? [];
  if (first === undefined) return { wrong: `Type integers and a place, such as “${example(data)}”; got “${term}”.` };
  const [low, high] = [Number(first), Number(last ?? first)];
  if (high >= data.integers || low > high) return { wrong: `Integers are 0 to ${data.integers - 1}; got ${last ? `${low}-${high}` : low}.` };
  const numbers = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];
  const spelt = (name) => name.replace(/\d/g, (digit) => numbers[digit]);
  const cell = cells.map(spelt).indexOf(spelt(where));
  if (where && cell < 0) return { wrong: `There is no place “${where}”; places are ${cells.join(", ")}.` };
  const values = Array.from({ length: high - low + 1 }, (_, i) => low + i);
  // A word without a place (-1) may speak of any cell.
  return { values, fits: (place) => place !== cells.length && (!where || place < 0 || place === cell) };
}

/** Return how many values the parts that say all terms leave together; Infinity if one is not said. */
function width(terms, named) {
  let wide = 1;
  for (const { values, fits } of terms) {
    const said = named.filter(([place, allowed]) => fits(place) && values.some((value) => allowed.includes(value)));
    wide *= Math.min(...said.map(([, allowed]) => allowed.length)); // Infinity if nothing says it
  }
  return wide;
}

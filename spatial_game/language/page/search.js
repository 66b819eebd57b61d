"use strict";
// The look-ups of a page: what a message means, and which messages say something.

/** Return what a message means, how sure that is, and for what it was sent; or what is wrong with the text. */
function readMessage(data, text) {
  const { length, symbols, total } = data;
  const rule = `A message has ${length} symbol${length > 1 ? "s" : ""} from 0 to ${symbols - 1}`;
  const given = text.trim().split(/[\s,;]+/).filter(Boolean);
  if (!given.length) return [];
  const wrong = given.find((word) => !/^\d+$/.test(word) || Number(word) >= symbols);
  if (wrong !== undefined) return [`${rule}; got “${wrong}”.`];
  if (given.length !== length) return [`${rule}; got ${given.length}.`];
  const message = given.map(Number).join(" ");
  const found = data.readings.find(([other]) => other === message);
  if (!found) {
    return [`${message} ${data.all ? "was never sent" : "is not among the messages that were sent most"} in ${total.toLocaleString("en-GB")} episodes.`];
  }
  const [, says, share, episodes, , windows] = found;
  const sent = `Sent in ${episodes.toLocaleString("en-GB")} episodes, such as for ${windows.join(" · ")}.`;
  return [share === null ? `${says[0].toUpperCase()}${says.slice(1)}.` : `${says} – true in ${share}% of its episodes`, sent];
}

/** Return the entries and the messages that say what a text asks for, the narrowest first; or what is wrong. */
function findMeaning(data, text) {
  const terms = text.trim().toLowerCase().split(/\s+and\s+|\s*,\s*/).filter(Boolean).map((term) => parsed(data, term));
  if (!terms.length) return [];
  const wrong = terms.find((term) => term.wrong);
  if (wrong) return [wrong.wrong];
  const lines = [];
  for (const [title, rows] of [["Words", data.entries], ["Messages", data.readings]]) {
    const found = rows.map((row) => [width(data, terms, row[4]), row]).filter(([wide]) => wide < Infinity)
      .sort(([one, a], [other, b]) => one - other || b[3] - a[3]);
    lines.push(`${title}: ${found.length.toLocaleString("en-GB")}`);
    for (const [, [form, says, share, episodes]] of found.slice(0, 8)) {
      lines.push(`${form}: ${says} – true in ${share}%, ${episodes.toLocaleString("en-GB")} episodes`);
    }
  }
  return lines;
}

/** Return the integers and the place of a term such as "36 one left", "18-22", or the edge of "the last". */
function parsed(data, term) {
  const words = term.replace(/^the target is /, "");
  const edge = data.edges.findIndex((name) => name === words || name === `the ${words}`);
  if (edge >= 0) return { values: [edge], place: "edge" };
  const [, first, last, where] = /^(\d+)(?:\s*-\s*(\d+))?\s*(.*)$/.exec(term) ?? [];
  if (first === undefined) return { wrong: `Type integers and a place, such as “${data.example}”; got “${term}”.` };
  const [low, high] = [Number(first), Number(last ?? first)];
  if (high >= data.integers || low > high) return { wrong: `Integers are 0 to ${data.integers - 1}; got ${last ? `${low}-${high}` : low}.` };
  const numbers = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];
  const place = where.replace(/\d/g, (digit) => numbers[digit]);
  const cell = data.cells.indexOf(place);
  if (place && cell < 0) return { wrong: `There is no place “${where}”; places are ${data.cells.join(", ")}.` };
  return { values: Array.from({ length: high - low + 1 }, (_, i) => low + i), place: place ? cell : "any" };
}

/** Return how many values the parts that say all terms leave together; Infinity if one is not said. */
function width(data, terms, named) {
  let wide = 1;
  for (const { values, place } of terms) {
    let least = Infinity;
    for (const [where, set] of named) {
      const here = where === place || (place !== "edge" && where !== "edge" && (place === "any" || where === "near"));
      if (here && values.some((value) => data.sets[set].includes(value))) least = Math.min(least, data.sets[set].length);
    }
    wide *= least;
  }
  return wide;
}

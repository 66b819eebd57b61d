"use strict";
// The look-ups of a page: what a message means, and which messages say something.

/** The language of the page: what the messages and symbols say, and in how many episodes. */
class Language {
  constructor(data) {
    Object.assign(this, data);
    this.said = data.said.map(([place, values, words, brief = words]) => ({ place, values, words, brief }));
    this.messages = data.messages.map(([text, senses, sure, held, episodes, windows]) =>
      ({ text, senses: senses.map(([share, parts]) => ({ share, parts: parts.map((i) => this.said[i]) })), sure, held, episodes, windows }));
    this.symbolEntries = data.symbols.map(([ngram, i, share, episodes]) => ({ text: ngram, senses: [{ parts: [this.said[i]] }], share, episodes }));
    this.byText = new Map(this.messages.map((message) => [message.text, message]));
  }

  /** Return what a message means; "brief" without the members of long sets, or all "words". */
  meaning({ senses, sure }, which = "brief") {
    if (!senses.length) return "the dictionary does not say";
    const texts = senses.map(({ parts }) => parts.map((part) => part[which]).join(" and "));
    const shown = senses.length > 1 ? texts.map((text, i) => `${text} (${senses[i].share}%)`) : texts;
    const or = senses.some(({ parts }) => parts.length > 1) ? ", or " : " or ";
    return (sure ? "" : "unsure: ") + [shown.slice(0, -1).join(", "), ...shown.slice(-1)].filter(Boolean).join(or);
  }

  /** Return a message with its meaning, and how often that is true. */
  line(message, words = "brief") {
    const { text, held: [right, all] } = message;
    return `${text}: ${this.meaning(message, words)}${all ? ` – true in ${count(right)} of ${count(all)} held-out episodes` : ""}`;
  }

  /** Return a meaning that can be asked for. */
  get example() { return `${Math.floor(this.integers / 2)} ${this.places[this.map[0][0] ?? 0]}`; }
}

function integers(number) { return Array.from({ length: number }, (_, i) => i); }

/** Return a number as people write it. */
function count(number) { return number.toLocaleString("en-GB"); }

/** Return what a message means, how sure that is, and for what it was sent; or what is wrong with the text. */
function readMessage(language, text) {
  const { length, vocabulary, messages } = language;
  const rule = `A message has ${length} symbol${length > 1 ? "s" : ""} from 0 to ${vocabulary - 1}`;
  const given = text.trim().split(/[\s,;[\]]+/).filter(Boolean);
  if (!given.length) return [];
  const wrong = given.find((word) => !/^\d+$/.test(word) || Number(word) >= vocabulary);
  if (wrong !== undefined) return [`${rule}; got “${wrong}”.`];
  if (given.length !== length) return [`${rule}; got ${given.length}.`];
  const sent = given.map(Number).join(" ");
  const found = language.byText.get(sent);
  if (found) return [language.line(found, "words"), `Sent in ${count(found.episodes)} episodes, such as for ${found.windows.join(" · ")}.`];
  const never = language.num_messages === messages.length ? "was never sent" : "is not among the messages that were sent most";
  return [`${sent} ${never} in ${count(language.episodes)} episodes. Its symbols by themselves say:`,
    ...given.flatMap((symbol, slot) => symbolsOf(language, given.map((_, i) => i === slot ? Number(symbol) : `m${i + 1}`)))];
}

/** Return what a symbol says in its slot, in a line; none if it says nothing. */
function symbolsOf({ symbolEntries }, symbols) {
  const ngram = `[${symbols.join(", ")}]`;
  const said = symbolEntries.filter((each) => each.text === ngram).map(({ senses, share }) => `${senses[0].parts[0].words} (${share}%)`);
  return said.length ? [`${ngram}: ${said.join("; ")}`] : [];
}

/** Return the symbols and the messages that say what a text asks for, the narrowest first; or what is wrong. */
function findMeaning(language, text) {
  const symbols = text.replace(/[[\]]/g, " ").trim().split(/[\s,;]+/);
  if (symbols.length === language.length && symbols.every((symbol) => /^m?\d+$/.test(symbol))) {
    return symbols.some((symbol) => symbol.startsWith("m")) ? symbolsOf(language, symbols) : readMessage(language, text);
  }
  const terms = termsOf(language, text.trim().toLowerCase());
  if (!terms.length) return [];
  const wrong = terms.find((term) => term.wrong);
  if (wrong) return [wrong.wrong];
  const lines = [];
  for (const [title, rows] of [["Messages", language.messages], ["Symbols", language.symbolEntries]]) {
    const found = rows.map((row) => [Math.min(...row.senses.map(({ parts }) => width(terms, parts))), row])
      .filter(([wide]) => wide < Infinity).sort(([one, a], [other, b]) => one - other || b.episodes - a.episodes);
    lines.push(`${title}: ${count(found.length)}`);
    for (const [, row] of found.slice(0, 8)) {
      lines.push(row.held ? `${language.line(row)}, ${count(row.episodes)} episodes`
        : `${row.text}: ${row.senses[0].parts[0].brief} (${row.share}%), ${count(row.episodes)} episodes`);
    }
  }
  return lines;
}

/** Return the terms that "and" or a comma joins. Places such as "one left and one up" have them too, so the longest is right. */
function termsOf(language, text) {
  const pieces = text.split(/(\s+and\s+|\s*,\s*)/);
  const terms = [];
  while (pieces.length) {
    let [end, term] = [pieces.length, parsed(language, text)];
    while (end > 1 && term.wrong) term = parsed(language, pieces.slice(0, end -= 2).join(""));
    if (pieces[0]) terms.push(term);
    pieces.splice(0, end + 1);
    text = pieces.join("");
  }
  return terms;
}

/** Return which statements say a term such as "36 one left", "18-22", "class A two left" or "the last". */
function parsed(language, term) {
  const { places, edges, classes } = language;
  const words = term.replace(/^the target is /, "");
  const edge = edges.findIndex((name) => name === words || name === `the ${words}`);
  if (edge >= 0) return { fits: ({ place, values }) => place === places.length && values.includes(edge) };
  const [, name, first, last, where] = /^(?:(class \w+)|(\d+)(?:\s*-\s*(\d+))?)\s*(.*)$/.exec(term) ?? [];
  if (name === undefined && first === undefined) return { wrong: `Type integers and a place, such as “${language.example}”; got “${term}”.` };
  const numbers = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];
  const spelt = (text) => text.replace(/\d/g, (digit) => numbers[digit]);
  const cell = places.map(spelt).indexOf(spelt(where));
  if (where && cell < 0) return { wrong: `There is no place “${where}”; places are ${places.join(", ")}.` };
  const here = ({ place }) => place !== places.length && (!where || place === cell);
  if (name) {
    const key = Object.keys(classes).find((each) => each.toLowerCase() === name);
    if (!key) return { wrong: `There is no ${name}; classes are ${Object.keys(classes).join(", ") || "none"}.` };
    return { fits: (part) => here(part) && part.words.startsWith(`${key} `) };
  }
  const [low, high] = [Number(first), Number(last ?? first)];
  if (high >= language.integers || low > high) return { wrong: `Integers are 0 to ${language.integers - 1}; got ${last ? `${low}-${high}` : low}.` };
  return { fits: (part) => here(part) && part.values.some((value) => value >= low && value <= high) };
}

/** Return how many values the statements that say all terms leave together; Infinity if one is not said. */
function width(terms, parts) {
  return terms.reduce((wide, { fits }) => wide * Math.min(...parts.filter(fits).map(({ values }) => values.length)), 1);
}

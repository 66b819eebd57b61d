"use strict";
// The rules of the game, what a dictionary says of messages, and why an episode was lost.

/** Return a generator of numbers in [0, 1) from a seed of 32 bits: mulberry32, by Tommy Ettinger. */
function seeded(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let x = Math.imul(state ^ (state >>> 15), state | 1);
    x ^= x + Math.imul(x ^ (x >>> 7), x | 61);
    return ((x ^ (x >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Return `count` different numbers of 0..size-1, each choice and each order equally probable. */
function drawDifferent(count, size, random) {
  const numbers = Array.from({ length: size }, (_, i) => i);
  for (let i = 0; i < count; i++) {
    const j = i + Math.floor(random() * (size - i));
    [numbers[i], numbers[j]] = [numbers[j], numbers[i]];
  }
  return numbers.slice(0, count);
}

/** Draw an episode by the rules of spatial_game/game/episodes.py. */
function newEpisode(config, random) {
  const sequence = drawDifferent(config.sequence_length, config.num_integers, random);
  const places = drawDifferent(config.num_distractors + 1, config.sequence_length, random);
  const targetIndex = Math.floor(random() * places.length);
  const position = places[targetIndex];
  const [window, start] = windowAround(config, sequence, position);
  return { sequence, position, start, window, candidates: places.map((p) => sequence[p]), targetIndex };
}

/** Return what a sender sees of a target, and where that begins: at the ends, the window slides inward. */
function windowAround(config, sequence, position) {
  const size = 2 * config.window_radius + 1;
  const start = Math.min(Math.max(position - config.window_radius, 0), sequence.length - size);
  const window = sequence.slice(start, start + size);
  window[position - start] = MASK;
  return [window, start];
}

/** Return integers in order as a text, three or more neighbours as a band: 3, 7, 8 or 12-15. */
function inBands(integers) {
  const bands = [];
  for (const integer of integers) {
    if (bands.at(-1)?.at(-1) === integer - 1) bands.at(-1).push(integer);
    else bands.push([integer]);
  }
  const pieces = bands.flatMap((band) => (band.length < 3 ? band : `${band[0]}-${band.at(-1)}`));
  return pieces.join(", ").replace(/, (\S+)$/, " or $1");
}

const WRITTEN_OUT = 8; // more pieces of a set are not written out (spatial_game/language/lexicon/words.py)

/** The meanings of messages in a lexicon, as `spatial_game/web/play/page.py` packs it. */
class Dictionary {
  constructor(packed) {
    Object.assign(this, packed);
    this.reading = new Map();
    for (const [statements, , messages] of packed.readings) {
      for (const message of messages) this.reading.set(message, statements);
    }
  }

  /** Return what a message says, statement by statement, each with whether it is true of a window. */
  read(message, window) {
    const told = (each) => ({ text: this.statements[each][0], holds: this.holds(each, window) });
    return this.statementsOf(message).map(told);
  }

  /** Return the numbers of the statements that a message makes. */
  statementsOf(message) {
    return this.reading.get(message.join(" ")) ?? [];
  }

  /** Return whether a statement is true of a window: all parts of one of its senses. */
  holds(statement, window) {
    const mask = window.indexOf(MASK);
    const isTrue = ([place, set]) => {
      if (set === undefined) return place === mask; // an edge, by the column of the mask
      const integers = this.sets[set];
      const cells = place === null ? window : [window[mask + place]];
      return cells.some((integer) => integers.includes(integer));
    };
    return this.statements[statement][1].some((sense) => sense.every(isTrue));
  }

  /** Return the integers of the sets that the reading of a message does not write out, a line for each. */
  legend(message) {
    const said = this.statementsOf(message).map((each) => this.statements[each]);
    const words = said.map(([text]) => text).join("; ");
    const classes = this.classes.filter((line) => new RegExp(`\\b${line.split(":")[0]}\\b`).test(words));
    const sets = said.flatMap(([, senses]) => senses.flat()).map(([, set]) => inBands(this.sets[set] ?? []));
    const unnamed = sets.filter((set) => !this.classes.some((line) => line.endsWith(`: ${set}`)));
    const names = words.match(/one of \d+ integers (near the target|\w+ \w+)/g) ?? [];
    const long = unnamed.filter((set) => set.split(/, | or /).length > WRITTEN_OUT);
    return [...new Set([...classes, ...names.map((name, i) => `${name}: ${long[i]}`)])];
  }

  /** Return the true messages that say the most about a window; no two of them mean the same. */
  suggest(window, most = 4) {
    const isTrue = new Map();
    for (const statement of this.statements.keys()) isTrue.set(statement, this.holds(statement, window));
    const true_ = this.readings.filter(([statements]) => statements.every((each) => isTrue.get(each)));
    true_.sort(([, bits], [, others]) => others - bits);
    return true_.slice(0, most).map(([, , messages]) => messages[0].split(" ").map(Number));
  }
}

/** Return what a message says about each candidate as the target; `fits` is null if it says nothing. */
function weigh(pair, episode, message) {
  return episode.candidates.map((integer) => {
    const [window] = windowAround(pair.config, episode.sequence, episode.sequence.indexOf(integer));
    const said = pair.dictionary?.read(message, window) ?? [];
    return { integer, window, said, fits: said.length ? said.every((each) => each.holds) : null };
  });
}

/** Return why an episode was lost, from what the message says about each candidate. */
function whatWentWrong(weighed, targetIndex, choice, chooser) {
  const [target, chosen] = [weighed[targetIndex], weighed[choice]];
  if (target.fits === null) return "The dictionary does not say what this message means.";
  if (!target.fits) {
    const untrue = target.said.filter((each) => !each.holds).map((each) => each.text);
    const instead = chosen.fits ? `, but it is true of ${chosen.integer}` : "";
    const said = `According to the dictionary, the message is not true of the target, ${target.integer}${instead}.`;
    return `${said} Untrue: ${untrue.join("; ")}.`;
  }
  const rivals = weighed.filter((each) => each.fits && each !== target).map((each) => each.integer);
  if (rivals.length) {
    const others = rivals.join(" and ");
    const said = `According to the dictionary, the message is true of the target, ${target.integer}, and also of ${others}.`;
    return `${said} It does not tell them apart.`;
  }
  return `According to the dictionary, the message is true of only one candidate, ${target.integer}. ${chooser} misunderstood it.`;
}

"use strict";
// The recorded language: its episodes, and what can be counted of them. Nothing here touches the page.

/** Return the header and the columns that Python has packed. */
async function unpack(text) {
  const whole = await inflate(text);
  const size = new DataView(whole).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(whole, 4, size)));
  const columns = {};
  let start = 4 + size;
  for (const [name, [width, ...shape]] of Object.entries(header.columns)) {
    const length = shape.reduce((product, side) => product * side, 1);
    const kind = { 1: Uint8Array, 2: Uint16Array, 4: Uint32Array }[width];
    const values = new Int32Array(new kind(whole.slice(start, start + length * width)));
    for (let i = 0; i < length; i += 1) values[i] -= header.above;
    columns[name] = { shape, values };
    start += length * width;
  }
  return { header, columns };
}

/** Episodes are numbered in the order of the page: by message, and of each message by outcome. */
class RecordedLanguage {
  static LOST = 1;

  static WON = 2;

  constructor({ header, columns }) {
    this.header = header;
    this.game = header.game;
    this.entries = header.entries;
    this.columns = columns;
    [this.width, this.size] = columns.window.shape;
    this.window = columns.window.values;
    this.outcome = columns.outcome.values;
    this.sent = columns.sent.values;
    this.starts = [0];
    for (const number of this.sent) this.starts.push(this.starts[this.starts.length - 1] + number);
    this.mask = new Uint8Array(this.size);
    for (let cell = 0; cell < this.width; cell += 1) {
      for (let i = 0; i < this.size; i += 1) if (this.window[cell * this.size + i] === MASK) this.mask[i] = cell;
    }
    this.edgeTotals = new Array(this.width).fill(0);
    for (const mask of this.mask) this.edgeTotals[mask] += 1;
    this.layout = Array.from({ length: this.width }, (_, mask) => columns.layout.values.subarray(mask * this.width, (mask + 1) * this.width));
    this.placeOf = new Map(this.game.places.map((place, index) => [String(place.offset), index]));
    this.drawn = columns.drawn.values;
    this.decided = this.outcome.some((outcome) => outcome > 0);
  }

  // --- Messages -------------------------------------------------------------------------------------------

  message(id) {
    const length = this.game.message_length;
    return Array.from(this.columns.messages.values.subarray(id * length, (id + 1) * length));
  }

  get numMessages() { return this.sent.length; }

  idOf(symbols) {
    for (let id = 0; id < this.numMessages; id += 1) if (this.message(id).every((s, slot) => s === symbols[slot])) return id;
    return -1;
  }

  /** The message of an episode: the last one that starts at or before it. */
  idAt(i) {
    let low = 0;
    let high = this.numMessages - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.starts[middle] <= i) low = middle; else high = middle - 1;
    }
    return low;
  }

  range(id) { return [this.starts[id], this.starts[id + 1]]; }

  carries({ symbols, slot }, id) {
    const message = this.message(id);
    const last = message.length - symbols.length;
    for (let start = slot ?? 0; start <= (slot ?? last); start += 1) {
      if (symbols.every((symbol, i) => symbol === null || symbol === message[start + i])) return true;
    }
    return false;
  }

  carriers(form) {
    const found = [];
    for (let id = 0; id < this.numMessages; id += 1) if (this.carries(form, id)) found.push(id);
    return found;
  }

  alike(id) {
    const mine = this.message(id);
    const found = [];
    for (let other = 0; other < this.numMessages; other += 1) {
      if (this.message(other).filter((symbol, slot) => symbol !== mine[slot]).length === 1) found.push(other);
    }
    return found;
  }

  reads(id) { return this.header.reads[id] ?? `only the ${this.header.read} most frequent messages are shown in words`; }

  countsSay(id) { return this.header.countsSay[id] ?? ""; }

  // --- Episodes -------------------------------------------------------------------------------------------

  windowAt(i) { return Array.from({ length: this.width }, (_, cell) => this.window[cell * this.size + i]); }

  /** The integer at a place, as the game numbers places; -1 where the window does not show it. */
  at(i, place) {
    const cell = this.layout[this.mask[i]].indexOf(place);
    return cell < 0 ? -1 : this.window[cell * this.size + i];
  }

  /** Whether a meaning is true of an episode's window; null if it speaks of an integer that others name. */
  holds(meaning, i) {
    let unknown = false;
    for (const part of meaning) {
      if (part.edge !== undefined) {
        if (this.game.edges[this.mask[i]].name !== part.edge) return false;
      } else if (part.integers === null) unknown = true;
      else if (part.offset === null) {
        if (!this.windowAt(i).some((integer) => part.integers.includes(integer))) return false;
      } else if (!part.integers.includes(this.at(i, this.placeOf.get(String(part.offset))))) return false;
    }
    return unknown ? null : true;
  }

  /** Whether one of the senses of an entry is true of an episode's window; null if that cannot be told. */
  anyHolds(senses, i) {
    const each = senses.map((meaning) => this.holds(meaning, i));
    return each.includes(true) ? true : each.includes(null) ? null : false;
  }

  /** All episodes of ranges of them, one after another. */
  static* each(ranges) {
    for (const [first, end] of ranges) for (let i = first; i < end; i += 1) yield i;
  }

  /** How often which integer stands at which place, and where the target is, in some episodes. */
  portrait(rows) {
    const numIntegers = this.game.num_integers;
    const found = { total: 0, won: 0, lost: 0, edges: new Array(this.width).fill(0),
      shown: new Array(this.game.places.length).fill(0), at: this.game.places.map(() => new Int32Array(numIntegers)) };
    for (const i of rows) {
      const mask = this.mask[i];
      found.total += 1;
      found.won += this.outcome[i] === RecordedLanguage.WON;
      found.lost += this.outcome[i] === RecordedLanguage.LOST;
      found.edges[mask] += 1;
      for (let cell = 0; cell < this.width; cell += 1) {
        const integer = this.window[cell * this.size + i];
        const place = this.layout[mask][cell];
        if (integer >= 0 && place >= 0) {
          found.at[place][integer] += 1;
          found.shown[place] += 1;
        }
      }
    }
    return found;
  }

  /** Return up to `number` drawn episodes from some ranges, up to half of them lost, evenly spaced. */
  examples(ranges, number) {
    const inside = [];
    for (const [first, end] of ranges) {
      let low = 0;
      let high = this.drawn.length;
      while (low < high) {
        const middle = (low + high) >> 1;
        if (this.drawn[middle] < first) low = middle + 1; else high = middle;
      }
      for (let k = low; k < this.drawn.length && this.drawn[k] < end; k += 1) inside.push(k);
    }
    const lost = inside.filter((k) => this.outcome[this.drawn[k]] === RecordedLanguage.LOST);
    const others = inside.filter((k) => this.outcome[this.drawn[k]] !== RecordedLanguage.LOST);
    const wrong = evenly(lost, Math.max(Math.floor(number / 2), number - others.length));
    return [...wrong, ...evenly(others, number - wrong.length)];
  }

  drawnWhere(test, number) {
    const found = [];
    for (let k = 0; k < this.drawn.length && found.length < number; k += 1) if (test(this.drawn[k])) found.push(k);
    return found;
  }

  /** A drawn episode, for `drawEpisode`. */
  episode(k) {
    const i = this.drawn[k];
    const value = (name) => (this.columns[name] ? this.columns[name].values[k] : null);
    const list = (name) => {
      if (!this.columns[name]) return null;
      const width = this.columns[name].shape[1];
      return Array.from(this.columns[name].values.subarray(k * width, (k + 1) * width));
    };
    const window = this.windowAt(i);
    const sequence = list("sequence");
    const candidates = list("candidates");
    const id = this.idAt(i);
    const targetIndex = value("target_index");
    const meant = candidates && targetIndex !== null ? candidates[targetIndex] : null;
    return { number: k, row: value("row"), id, sequence, window, axes: this.game.shape.length, columns: this.game.shape[this.game.shape.length - 1], message: this.message(id), candidates, targetIndex,
      choice: value("choice"), words: this.reads(id),
      target: sequence ? (meant === null ? value("target_position") : sequence.indexOf(meant)) : null,
      shown: sequence ? window.filter((integer) => integer >= 0).map((integer) => sequence.indexOf(integer)) : [] };
  }

  // --- Searching ------------------------------------------------------------------------------------------

  /** The recorded windows nearest to one: with the target at the same end, fewest cells that differ, then by how much. */
  nearest(window, number) {
    const mask = window.indexOf(-1);
    const best = [];
    for (let i = 0; i < this.size; i += 1) {
      if (this.mask[i] !== mask) continue;
      let differing = 0;
      let distance = 0;
      for (let cell = 0; cell < this.width; cell += 1) {
        const off = Math.abs(this.window[cell * this.size + i] - window[cell]);
        differing += off > 0;
        distance += off;
      }
      const score = differing * 1e6 + distance;
      if (best.length < number || score < best[best.length - 1].score) {
        best.push({ i, differing, score });
        best.sort((one, other) => one.score - other.score);
        best.length = Math.min(best.length, number);
      }
    }
    return best;
  }

  /** What a search by meaning asks for: a list of parts as lexicons write them. Throws an error for other texts. */
  asked(text) {
    // "left of 18" is "18 one left".
    let left = text.toLowerCase().replace(/(^|\band\b|[;+&])\s*(left|right|up|down) of (\d[\d\s,–-]*(?:or \d+)?)/g, "$1 $3 one $2");
    this.game.places.map((place, index) => ({ ...place, index })).sort((one, other) => other.words.length - one.words.length)
      .forEach((place) => { left = left.replace(placePattern(place), ` @${place.index} `); });
    this.game.places.forEach(({ words }, index) => { // "18 left" is "18 one left", too
      if (/^one \w+$/.test(words)) left = left.replace(new RegExp(`(\\d) (to the )?${words.slice(4)}\\b`, "g"), `$1 @${index} `);
    });
    const parts = left.split(/\band\b|[;+&]/).map((part) => part.trim()).filter(Boolean);
    if (!parts.length) throw new Error("Type a meaning, such as “18, 1 left” or “the last”.");
    return parts.map((part) => this.askedPart(part));
  }

  askedPart(part) {
    const edge = this.edgeNamed(part);
    if (edge !== null) return { edge };
    const place = part.match(/@(\d+)/);
    const offset = place ? this.game.places[Number(place[1])].offset : null;
    const rest = part.replace(/@\d+/, " ");
    const left = rest.replace(/\b(is|or|at|near|the|target|,)\b|[,()]/g, " ");
    const integers = [];
    for (const [piece, first, last] of left.matchAll(/(\d+)(?:\s*(?:-|–|to)\s*(\d+))?|\S+/g)) {
      if (first === undefined) throw new Error(`“${piece}” is not understood. ${this.howToAsk}`);
      const [low, high] = [Number(first), Number(last ?? first)];
      if (high >= this.game.num_integers || low > high) {
        throw new Error(`Integers are 0 to ${this.game.num_integers - 1}; got ${piece}.`);
      }
      for (let value = low; value <= high; value += 1) integers.push(value);
    }
    if (!integers.length) throw new Error(`An integer is missing. ${this.howToAsk}`);
    return { offset, integers };
  }

  get howToAsk() {
    const { places } = this.game;
    return `Examples: “18, ${places[Math.floor(places.length / 2) - 1].words}”; “18-22”, anywhere in the window; “the last”.`;
  }

  edgeNamed(part) {
    const plain = part.replace(/^(the target is )?(the )?/, "").replace(/ one$/, "");
    for (const { name, words } of this.game.edges) {
      if ([name, words.toLowerCase(), words.toLowerCase().replace(/^the target is (the )?/, "")].includes(plain) ||
        part === name) return name;
    }
    return null;
  }
}

function evenly(items, most) {
  if (items.length <= most) return items;
  return Array.from({ length: most }, (_, i) => items[Math.floor((i * items.length) / most)]);
}

const NUMBERS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];

/** A pattern of the ways to name a place: "one left", "1 to the left", "1 left of the target", "-1". */
function placePattern({ words, offset }) {
  const steps = words.split(" and ").map((step) => {
    const [number, ...side] = step.split(" ");
    return `(${number}|${NUMBERS.indexOf(number)}) (to the )?${side.join(" ")}`;
  });
  const short = typeof offset === "number" ? `|(?<=^|[\\s,(])${offset > 0 ? "\\+" : ""}${offset}(?=$|[\\s,)])` : "";
  return new RegExp(`\\b${steps.join("(,? and |,? )")}\\b( of( the)? target)?${short}`, "g");
}

/** How much two meanings have in common, 0 to 1: the same edges, and integers at the same places. */
function overlap(one, other) {
  const key = (part) => (part.edge !== undefined ? `edge ${part.edge}` : `at ${part.offset} ${part.integers === null}`);
  if (one.length !== other.length) return 0;
  let common = 1;
  for (const part of one) {
    const match = other.find((each) => key(each) === key(part));
    if (!match) return 0;
    if (part.integers) {
      const both = part.integers.filter((value) => match.integers.includes(value)).length;
      common = Math.min(common, both / (part.integers.length + match.integers.length - both));
    }
  }
  return common;
}

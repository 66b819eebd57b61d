"use strict";
// What to say: the speaker's table, the map of its messages, and the forms of the page.

const NS = "http://www.w3.org/2000/svg";
const TOP = 22;

/** Draw the map of the page, and let its forms answer. */
function showMap() {
  const data = JSON.parse(document.querySelector(".language-data").textContent);
  if (data === null) return; // the dictionary finds nothing
  const language = new Language(data);
  const speaker = new Speaker(language);
  document.querySelector(".look-up").hidden = false;
  if (data.map[0].length) new LanguageMap(language, speaker).show();
  else document.querySelector("figure").remove();
  document.querySelector(".say output").before(...fieldsOf(language));
  document.querySelector(".read input").placeholder = data.messages[0][0];
  document.querySelector(".find input").placeholder = language.example;
  answer(".say", (form) => say(language, speaker, [...form.querySelectorAll("input")], form.querySelector("select")));
  answer(".read", (form) => readMessage(language, form.querySelector("input").value));
  answer(".find", (form) => findMeaning(language, form.querySelector("input").value));
}

/** Show the lines that a form's question is answered with, at each change. */
function answer(name, find) {
  const form = document.querySelector(name);
  const show = () => form.querySelector("output").replaceChildren(...find(form).map((line) => made("span", {}, line)));
  form.addEventListener("input", show);
  form.addEventListener("submit", (event) => { event.preventDefault(); show(); });
}

/** Finds the message with most bits for what is to be said, plus log2 of how often it is sent. */
class Speaker {
  constructor({ say, messages, integers }) {
    const bytes = atob(say.bits);
    const table = new Int8Array(bytes.length);
    for (let i = 0; i < bytes.length; i++) table[i] = bytes.charCodeAt(i);
    Object.assign(this, say, { integers, table, columns: say.cells.length * integers + say.views.length });
    this.messages = messages.slice(0, this.table.length / this.columns);
    this.often = Float32Array.from(this.messages, ({ episodes }) => Math.log2(episodes));
  }

  column(number) {
    const size = this.messages.length;
    return this.table.subarray(number * size, (number + 1) * size);
  }

  /** Return a score of each message for an edge (or null), if these cells are seen; null if they never are. */
  start(cells, edge) {
    const first = this.cells.length * this.integers;
    const fitting = this.views.flatMap(([at, shown, share], view) =>
      (edge === null || at === edge) && cells.every((cell) => shown.includes(cell)) ? [[share, this.column(first + view)]] : []);
    if (!fitting.length) return null;
    return this.often.map((often, i) => often + Math.log2(fitting.reduce((sum, [share, bits]) => sum + share * 2 ** (bits[i] / this.steps), 0)));
  }

  /** Return the same for a target that is not near an end, the last edge, if these cells are seen there. */
  inMiddle(cells) { return this.start(cells, this.views.at(-1)[0]) ?? this.start(cells, null); }

  /** Return scores with those of an integer in a cell added. */
  plus(scores, cell, integer) {
    const bits = this.column(cell * this.integers + integer);
    return scores.map((score, i) => score + bits[i] / this.steps);
  }

  /** Return the message with the highest score, with those of an integer in a cell added, if given. */
  best(scores, cell, integer) {
    const bits = cell === undefined ? new Int8Array(scores.length) : this.column(cell * this.integers + integer);
    let [best, most] = [0, -Infinity];
    for (let i = 0; i < scores.length; i++) {
      const score = scores[i] + bits[i] / this.steps;
      if (score > most) [best, most] = [i, score];
    }
    return this.messages[best];
  }
}

/** Return the fields in which one says what stands where. */
function fieldsOf({ say, places, integers, edges }) {
  const fields = say.cells.map((place) => {
    const label = made("label", {}, places[place]);
    label.append(made("input", { type: "number", min: 0, max: integers - 1 }));
    return label;
  });
  const where = made("label", {}, "the target is");
  where.append(made("select", {}));
  where.lastChild.append(...["anywhere", ...edges].map((name) => made("option", {}, name)));
  return [...fields, where];
}

/** Return what to say for the integers in these fields, or what is wrong with them. */
function say(language, speaker, fields, where) {
  const wrong = fields.find(({ value, validity }) => validity.badInput || (value !== "" && (!/^\d+$/.test(value) || Number(value) >= language.integers)));
  if (wrong) return [`Integers are 0 to ${language.integers - 1}; got ${wrong.value || "no whole number"}.`];
  const given = fields.flatMap(({ value }, cell) => value === "" ? [] : [[cell, Number(value)]]);
  const edge = where.selectedIndex ? where.selectedIndex - 1 : null;
  if (!given.length && edge === null) return [];
  const scores = speaker.start(given.map(([cell]) => cell), edge);
  if (!scores) return ["The sender never sees this together."];
  return [language.line(speaker.best(given.reduce((sum, [cell, integer]) => speaker.plus(sum, cell, integer), scores)))];
}

/** A row for each integer at one place and a column for each at another, or a row for each of several places. */
class LanguageMap {
  constructor(language, speaker) {
    const [places, across] = language.map;
    const cells = places.map((place) => speaker.cells.indexOf(place));
    Object.assign(this, { language, across, places: places.map((place) => language.places[place]), at: [0, 0] });
    this.cells = across ? this.pairs(speaker, cells) : cells.map((cell) => {
      const scores = speaker.inMiddle([cell]);
      return integers(language.integers).map((integer) => speaker.best(scores, cell, integer));
    });
    Object.assign(this, across ? { size: 10, high: 10, head: 0, left: 100 } : { size: 13, high: 44, head: 24, left: 4 });
  }

  /** Return the message for each pair of different integers at two cells; null for equal ones. */
  pairs(speaker, [one, other]) {
    const all = integers(this.language.integers);
    const scores = speaker.inMiddle([one, other]);
    return all.map((row) => {
      const ofRow = speaker.plus(scores, one, row);
      return all.map((column) => row === column ? null : speaker.best(ofRow, other, column));
    });
  }

  /** Put the map and its legend on the page. */
  show() {
    const drawing = document.querySelector(".drawing");
    drawing.append(this.draw());
    const point = (event) => this.move(...this.under(event));
    this.picture.addEventListener("pointermove", point);
    this.picture.addEventListener("pointerdown", point);
    drawing.addEventListener("focus", () => this.move(...this.at));
    drawing.addEventListener("keydown", (event) => {
      const [down, right] = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key] ?? [];
      if (down === undefined) return;
      event.preventDefault();
      this.move(this.at[0] + down, this.at[1] + right);
      this.marker.scrollIntoView({ block: "nearest", inline: "nearest" });
    });
    const firsts = [...new Set(this.cells.flat().filter(Boolean).map(({ text }) => Number(text.split(" ")[0])))].sort((a, b) => a - b);
    const other = this.language.length > 1 ? " 0".repeat(this.language.length - 1) : "";
    document.querySelector(".legend").append(...firsts.map((symbol) => {
      const swatch = made("span", { class: "swatch" }, symbol);
      swatch.style.setProperty("--hue", colour(`${symbol}${other}`, this.language.vocabulary));
      return swatch;
    }));
  }

  draw() {
    const { size, high, head, left, across } = this;
    const all = this.language.integers;
    const [wide, tall] = [left + all * size + 4, TOP + this.cells.length * high + 4];
    this.picture = made("svg", { viewBox: `0 0 ${wide} ${tall}`, width: wide, height: tall });
    const label = (x, y, words, anchor = "start") => this.picture.append(made("text", { x, y, "text-anchor": anchor }, words));
    this.cells.forEach((row, i) => row.forEach((message, j) => {
      const look = message ? { fill: colour(message.text, this.language.vocabulary) } : { class: "none" };
      this.picture.append(made("rect", { x: left + j * size, y: TOP + i * high + head, width: size, height: high - head, ...look }));
    }));
    for (let integer = 0; integer < all; integer += all > 30 ? 10 : 5) {
      label(left + (integer + .5) * size, TOP - 6, integer, "middle");
      if (across) label(left - 5, TOP + (integer + .9) * high, integer, "end");
    }
    if (across) {
      label(0, TOP - 6, `${this.places[1]} →`);
      label(0, TOP + 10, `${this.places[0]} ↓`);
    } else {
      this.places.forEach((place, row) => label(left, TOP + row * high + 19, place));
    }
    this.marker = made("rect", { class: "mark", width: size, height: high - head, visibility: "hidden" });
    this.picture.append(this.marker);
    return this.picture;
  }

  /** Return the row and the column under the pointer. */
  under(event) {
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.picture.getScreenCTM().inverse());
    return [Math.floor((y - TOP) / this.high), Math.floor((x - this.left) / this.size)];
  }

  /** Mark a cell, the nearest one if the map has no such cell, and show its message. */
  move(row, column) {
    this.at = [[row, this.cells.length], [column, this.language.integers]].map(([i, size]) => Math.min(Math.max(i, 0), size - 1));
    [row, column] = this.at;
    this.marker.setAttribute("x", this.left + column * this.size);
    this.marker.setAttribute("y", TOP + row * this.high + this.head);
    this.marker.setAttribute("visibility", "visible");
    const message = this.cells[row][column];
    const where = this.across ? `${row} ${this.places[0]} and ${column} ${this.places[1]}` : `${column} ${this.places[row]}`;
    document.querySelector(".here").textContent = `${where} → ${message ? this.language.line(message) : "integers are different"}`;
  }
}

/** Return a colour of a message: its first symbol has the hue, and the others the lightness. */
function colour(message, vocabulary) {
  const [first, ...others] = message.split(" ").map(Number);
  const light = others.reduce((sum, symbol, i) => sum + symbol * (i + 1), 0) / vocabulary % 1;
  return `hsl(${first * 137.5 % 360} 50% ${30 + 45 * light}%)`; // the golden angle: hues of neighbours differ
}

/** Return an element of the page or, of these kinds, of a drawing. */
function made(tag, attributes, words = "") {
  const node = ["svg", "rect", "text"].includes(tag) ? document.createElementNS(NS, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  if (words !== "") node.textContent = words;
  return node;
}

showMap();

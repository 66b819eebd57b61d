"use strict";
// The map of a language, and the look-up of what to say.

const NS = "http://www.w3.org/2000/svg";
const TOP = 22;

/** Draw the map of the page, and let its forms answer. */
function showSketch() {
  const data = JSON.parse(document.querySelector(".sketch-data").textContent);
  if (data === null) return; // nothing to learn
  document.querySelector(".look-up").hidden = false;
  const map = new SketchMap(data);
  const drawing = document.querySelector(".drawing");
  drawing.classList.toggle("square", map.across);
  drawing.append(map.picture);
  const point = (event) => {
    const cell = map.under(event);
    if (!cell) return;
    document.querySelector(".here").textContent = map.words(...cell);
    map.mark(...cell);
  };
  map.picture.addEventListener("pointermove", point);
  map.picture.addEventListener("pointerdown", point);
  document.querySelector(".say output").before(...map.fields());
  document.querySelector(".read input").placeholder = data.messages[0].form;
  document.querySelector(".find input").placeholder = example(data);
  answer(".say", (form) => say(data, map, [...form.querySelectorAll("input, select")]));
  answer(".read", (form) => readMessage(data, form.querySelector("input").value));
  answer(".find", (form) => findMeaning(data, form.querySelector("input").value));
}

/** Show the lines that a form's question is answered with, at each change. */
function answer(name, find) {
  const form = document.querySelector(name);
  const show = () => form.querySelector("output").replaceChildren(...find(form).map((line) => made("span", {}, line)));
  form.addEventListener("input", show);
  form.addEventListener("submit", (event) => { event.preventDefault(); show(); });
}

/** Return what to say for the integers in these fields, or what is wrong with them. */
function say(data, map, fields) {
  const values = fields.map((field) => field.tagName === "SELECT" ? field.selectedIndex : Number(field.value || NaN));
  const wrong = fields.find((field) => field.tagName !== "SELECT" && (field.validity.badInput
    || (field.value !== "" && (!/^\d+$/.test(field.value) || Number(field.value) >= data.integers))));
  if (wrong) return [`Integers are 0 to ${data.integers - 1}; got ${wrong.value || "no whole number"}.`];
  // A square has its first place below, and its second one across; otherwise integers stand across.
  const [row, column] = map.across ? values : values.reverse();
  if (Number.isNaN(row) || Number.isNaN(column)) return [];
  map.mark(row, column);
  return [map.message(row, column)];
}

/** A row for each integer at one place and a column for each at another, or a row for each of several places. */
class SketchMap {
  constructor(data) {
    this.data = data;
    this.across = data.map[0].cells.length === 2;
    this.places = (this.across ? data.map[0].cells : data.map.map(({ cells }) => cells[0])).map((cell) => data.places[cell]);
    this.rows = this.across ? data.integers : this.places.length;
    this.size = this.across ? 9 : 13;
    this.high = this.across ? 9 : 44;
    this.left = this.across ? 96 : 4;
    this.reads = new Map(data.messages.map((row) => [row.form, meaningOf(data, row)]));
    this.picture = this.draw();
  }

  /** Return the message of a cell of the picture, its share, and its episodes. */
  cell(row, column) {
    const { message, share, episodes } = this.data.map[this.across ? 0 : row];
    return [message, share, episodes].map((values) => this.across ? values[row][column] : values[column]);
  }

  draw() {
    const { integers, symbols } = this.data;
    const picture = made("svg", { viewBox: `0 0 ${this.left + integers * this.size + 4} ${TOP + this.rows * this.high + 4}` });
    const label = (x, y, words, anchor = "start") => picture.append(made("text", { x, y, "text-anchor": anchor }, words));
    const head = this.across ? 0 : 24; // the name of a row stands above it, also in the letters of a telephone
    for (let row = 0; row < this.rows; row++) {
      for (let column = 0; column < integers; column++) {
        const [message] = this.cell(row, column);
        const look = message === null ? { class: "none" } : { fill: colour(message, symbols) };
        picture.append(made("rect", { x: this.left + column * this.size, y: TOP + row * this.high + head,
          width: this.size, height: this.high - head, ...look }));
      }
    }
    const step = integers > 30 ? 10 : 5;
    for (let integer = 0; integer < integers; integer += step) {
      label(this.left + (integer + .5) * this.size, TOP - 6, integer, "middle");
      if (this.across) label(this.left - 5, TOP + (integer + .8) * this.high, integer, "end");
    }
    if (this.across) {
      label(0, TOP - 6, `${this.places[1]} →`);
      label(0, TOP + 12, `${this.places[0]} ↓`);
    } else {
      this.places.forEach((place, row) => label(this.left, TOP + row * this.high + 19, place));
    }
    this.marker = made("rect", { class: "mark", width: this.size, height: this.high, visibility: "hidden" });
    picture.append(this.marker);
    return picture;
  }

  /** Return the fields in which one says what stands where. */
  fields() {
    const integer = (name) => {
      const label = made("label", {}, `${name} `);
      label.append(made("input", { type: "number", min: 0, max: this.data.integers - 1 }));
      return label;
    };
    if (this.across) return this.places.map(integer);
    const place = made("select", { "aria-label": "Place" });
    place.append(...this.places.map((name) => made("option", {}, name)));
    return [integer("Integer"), place];
  }

  /** Return the row and the column under the pointer. */
  under(event) {
    const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.picture.getScreenCTM().inverse());
    const [row, column] = [Math.floor((y - TOP) / this.high), Math.floor((x - this.left) / this.size)];
    return row < 0 || column < 0 || row >= this.rows || column >= this.data.integers ? null : [row, column];
  }

  mark(row, column) {
    this.marker.setAttribute("x", this.left + column * this.size);
    this.marker.setAttribute("y", TOP + row * this.high);
    this.marker.setAttribute("visibility", "visible");
  }

  message(row, column) {
    const [message, share, episodes] = this.cell(row, column);
    return message === null ? "nothing was sent" : `${message} (in ${Math.round(100 * share)}% of ${count(episodes)} episodes)`;
  }

  words(row, column) {
    const where = this.across ? `${row} ${this.places[0]} and ${column} ${this.places[1]}` : `${column} ${this.places[row]}`;
    const meaning = this.reads.get(this.cell(row, column)[0]);
    return `${where}: ${this.message(row, column)}${meaning ? ` – ${meaning}` : ""}`;
  }
}

/** Return a colour of a message: its first symbol has the hue, and the others the lightness. */
function colour(message, symbols) {
  const [first, ...others] = message.split(" ").map(Number);
  const light = others.reduce((sum, symbol, i) => sum + symbol * (i + 1), 0) / symbols % 1;
  return `hsl(${first * 137.5 % 360} 50% ${30 + 45 * light}%)`; // the golden angle: hues of neighbours differ
}

/** Return an element of the page or, of these kinds, of a drawing. */
function made(tag, attributes, words = "") {
  const node = ["svg", "rect", "text"].includes(tag) ? document.createElementNS(NS, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  if (words !== "") node.textContent = words;
  return node;
}

showSketch();

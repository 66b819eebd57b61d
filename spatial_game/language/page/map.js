"use strict";
// The map of a language, and the look-up of what to say.

/** Draw the map of the page, and let its forms answer. */
function showSketch() {
  const data = JSON.parse(document.querySelector(".sketch-data").textContent);
  const drawing = document.querySelector(".drawing");
  if (!drawing) return;
  const cells = new SketchMap(data);
  drawing.classList.add(data.map.kind);
  drawing.append(cells.picture);
  const here = document.querySelector(".here");
  const point = (event) => {
    const cell = cells.at(event);
    if (!cell) return;
    here.textContent = cells.words(...cell);
    cells.mark(...cell);
  };
  cells.picture.addEventListener("pointermove", point);
  cells.picture.addEventListener("pointerdown", point);
  answer(".say", (form) => say(data, cells, [...form.querySelectorAll("[data-axis]")]));
  answer(".read", (form) => readMessage(data, form.querySelector("input").value));
  answer(".find", (form) => findMeaning(data, form.querySelector("input").value));
}

/** Show the lines that a form's question is answered with, at each change. */
function answer(name, find) {
  const form = document.querySelector(name);
  if (!form) return;
  const show = () => form.querySelector("output").replaceChildren(...find(form).map((line) => {
    const part = document.createElement("span");
    part.textContent = line;
    return part;
  }));
  form.addEventListener("input", show);
  form.addEventListener("submit", (event) => { event.preventDefault(); show(); });
}

/** Return what to say for the integers in these fields, or what is wrong with them. */
function say(data, cells, fields) {
  const values = fields.map((field) => field.tagName === "SELECT" ? field.selectedIndex : Number(field.value || NaN));
  const wrong = fields.find((field) => field.tagName !== "SELECT" && (field.validity.badInput
    || (field.value !== "" && (!/^\d+$/.test(field.value) || Number(field.value) >= data.integers))));
  if (wrong) return [`Integers are 0 to ${data.integers - 1}; got ${wrong.value || "no whole number"}.`];
  const [row, column] = values.length === 1 ? [values[0], 0] : values;
  if (Number.isNaN(row) || Number.isNaN(column)) return [];
  cells.mark(row, column);
  return [cells.message(row, column)];
}

class SketchMap {
  static TOP = 22;

  constructor(data) {
    this.data = data;
    this.map = data.map;
    this.places = this.map.places.map((place) => data.places[place]);
    // A square has the second place across; the others have the integers across.
    this.across = this.map.kind === "square";
    this.rows = this.across ? data.integers : this.places.length;
    this.columns = data.integers;
    this.size = this.across ? 9 : 13;
    this.high = this.across ? 9 : 38;
    this.left = this.across ? 96 : 4;
    this.reads = new Map(data.messages.map(({ form, meaning }) => [form, meaning]));
    this.picture = this.draw();
  }

  /** Return the cell of the data that is drawn in a row and a column. */
  cell(row, column) { return this.across ? [row, column] : [column, row]; }

  draw() {
    const { TOP } = SketchMap;
    const LEFT = this.left;
    const width = LEFT + this.columns * this.size + 4;
    const height = TOP + this.rows * this.high + 4;
    const picture = made("svg", { viewBox: `0 0 ${width} ${height}` });
    for (let row = 0; row < this.rows; row++) {
      for (let first = 0, column = 1; column <= this.columns; column++) {
        if (column < this.columns && this.same(row, first, column)) continue;
        picture.append(this.rectangle(row, first, column - first));
        first = column;
      }
    }
    const step = this.columns > 30 ? 10 : 5;
    for (let column = 0; column < this.columns; column += step) {
      picture.append(text(LEFT + (column + .5) * this.size, TOP - 6, column, "middle"));
    }
    if (this.across) {
      for (let row = 0; row < this.rows; row += step) picture.append(text(LEFT - 5, TOP + (row + .8) * this.high, row, "end"));
      picture.append(text(0, TOP - 6, `${this.places[1]} →`, "start"), text(0, TOP + 12, `${this.places[0]} ↓`, "start"));
    } else {
      this.places.forEach((place, row) => picture.append(text(LEFT, TOP + row * this.high + 14, place, "start")));
    }
    this.marker = made("rect", { class: "mark", width: this.size, height: this.high, visibility: "hidden" });
    picture.append(this.marker);
    return picture;
  }

  same(row, one, other) {
    const [a, b] = this.cell(row, one), [c, d] = this.cell(row, other);
    return this.map.message[a][b] === this.map.message[c][d];
  }

  rectangle(row, first, number) {
    const [a, b] = this.cell(row, first);
    const colour = this.data.colour[a][b];
    const look = colour < 0 ? { class: "none" } : { fill: this.data.palette[colour] };
    const gap = this.across ? 0 : .6; // neighbours of one colour stay apart in a strip
    return made("rect", { x: this.left + first * this.size, y: SketchMap.TOP + row * this.high + (this.across ? 0 : 18),
      width: number * this.size - gap, height: this.high - (this.across ? 0 : 18), ...look });
  }

  /** Return the cell of the data under the pointer. */
  at(event) {
    const place = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.picture.getScreenCTM().inverse());
    const column = Math.floor((place.x - this.left) / this.size);
    const row = Math.floor((place.y - SketchMap.TOP) / this.high);
    return row < 0 || column < 0 || row >= this.rows || column >= this.columns ? null : this.cell(row, column);
  }

  mark(a, b) {
    const [row, column] = this.across ? [a, b] : [b, a];
    this.marker.setAttribute("x", this.left + column * this.size);
    this.marker.setAttribute("y", SketchMap.TOP + row * this.high);
    this.marker.setAttribute("visibility", "visible");
  }

  message(a, b) {
    const { message, share, episodes } = this.map;
    if (message[a][b] === null) return "nothing was sent";
    return `${message[a][b]} (in ${Math.round(100 * share[a][b])}% of ${count(episodes[a][b])} episodes)`;
  }

  words(a, b) {
    const { kind, message } = this.map;
    const where = this.across ? `${a} ${this.places[0]} and ${b} ${this.places[1]}` : `${a} ${this.places[b]}`;
    const says = kind === "symbols" ? "" : this.reads.get(message[a][b]) ?? "";
    return `${where}: ${kind === "symbols" ? "first symbol " : ""}${this.message(a, b)}${says && ` – ${says}`}`;
  }
}

function made(tag, attributes) {
  const node = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  return node;
}

function text(x, y, words, anchor) {
  const node = made("text", { x, y, "text-anchor": anchor });
  node.textContent = words;
  return node;
}

showSketch();

"use strict";
// The film of a language: frames of its map beside curves, dialects and words.

const SECONDS = 0.7; // a frame, when the film plays
const ROWS = 50; // words that are listed at once
const SHARE = (value) => `${(100 * value).toFixed(1)}%`;
const FIGURE = (value) => value.toFixed(2);
const CURVES = [
  { title: "Shares of the episodes", written: SHARE, lines: {
    accuracy: "right", kept: "same message as before", effect: "smaller effect of exchanged parts",
    agreement: "agreement with other senders" } },
  { title: "Bits an episode", written: FIGURE, lines: { message_bits: "carried", explained_bits: "explained" } },
  { title: "The dictionary, in kilobits", written: FIGURE, lines: { kilobits: "length" } },
];

class Film {
  constructor(root, data) {
    this.root = root;
    this.data = data;
    this.frame = data.times.length - 1;
    this.sender = 0;
    this.listed = ROWS;
    this.slider = this.find("[data-frame]");
    this.colours = data.map.map((frames) => frames.map((rows) => rows.map((row) => row.map((m) => (m < 0 ? -1 : data.colour[m])))));
    this.listen();
    this.showSender();
  }

  find(selector) { return this.root.querySelector(selector); }

  listen() {
    const { root } = this, play = this.find("[data-play]");
    this.slider.addEventListener("input", () => { this.stop(); this.show(Number(this.slider.value)); });
    play.addEventListener("click", () => (this.timer ? this.stop() : this.play()));
    root.querySelectorAll("form").forEach((form) => form.addEventListener("submit", (event) => event.preventDefault()));
    this.find("[data-sender]")?.addEventListener("change", (event) => { this.sender = Number(event.target.value); this.showSender(); });
    for (const name of ["[data-which]", "[data-search]"]) {
      this.find(name).addEventListener("input", () => { this.listed = ROWS; this.showWords(); });
    }
    this.find("[data-more]").addEventListener("click", () => { this.listed += ROWS; this.showWords(); });
    root.querySelectorAll("details").forEach((each) => each.addEventListener("toggle", () => this.showTables()));
    const drawing = this.find(".drawing");
    for (const kind of ["pointermove", "pointerdown"]) drawing.addEventListener(kind, (event) => this.point(event));
  }

  play() {
    if (this.frame === this.data.times.length - 1) this.show(0);
    this.find("[data-play]").textContent = "Stop";
    this.timer = setInterval(() => {
      this.show(this.frame + 1);
      if (this.frame === this.data.times.length - 1) this.stop();
    }, 1000 * SECONDS);
  }

  stop() {
    clearInterval(this.timer);
    this.timer = null;
    this.find("[data-play]").textContent = "Play";
  }

  showSender() {
    this.figures = this.data.figures[this.sender].map((figures, i) => ({ ...figures, effect: smaller(figures), agreement: this.meanAgreement(i) }));
    this.find(".replaced").textContent = this.replaced();
    this.find(".curves").replaceChildren(...CURVES.map((curve) => this.curve(curve)));
    this.show(this.frame);
  }

  /** Return in words when newcomers came, which the curves show as upright lines. */
  replaced() {
    const { replaced, unit } = this.data, by = (role) => replaced[this.sender].filter((each) => each[1] === role);
    const told = ["sender", "receiver"].filter((role) => by(role).length)
      .map((role) => `the ${role} at ${unit} ${by(role).map(([step]) => step.toLocaleString("en-GB")).join(", ")}`);
    return told.length ? `Replaced by a newcomer (upright lines): ${told.join("; ")}.` : "";
  }

  meanAgreement(frame) {
    const others = this.data.agreement[frame][this.sender].filter((_, i) => i !== this.sender);
    return others.length ? others.reduce((sum, each) => sum + each, 0) / others.length : null;
  }

  show(frame) {
    this.frame = frame;
    const { unit, times } = this.data, now = `${unit} ${times[frame]}`;
    this.slider.value = frame;
    this.slider.setAttribute("aria-valuetext", `${now}, right in ${SHARE(this.figures[frame].accuracy)} of the episodes`);
    this.find(".now").textContent = now;
    this.showMap();
    this.root.querySelectorAll(".curve").forEach((each) => each.mark());
    this.showDialects();
    this.showWords();
    this.showTables();
  }

  // --- The map ---------------------------------------------------------------------------------------

  mapOf(sender) {
    const { data, frame } = this;
    return new SketchMap({ ...data, map: data.map[sender][frame], share: data.share[sender][frame], colour: this.colours[sender][frame], reads: {} });
  }

  showMap() {
    const { data } = this, drawing = this.find(".drawing");
    this.map = this.mapOf(this.sender);
    const width = this.map.picture.viewBox.baseVal.width;
    this.map.picture.style.cssText = `min-width: min(${width}px, ${.95 * width}px); max-width: ${1.5 * width}px`;
    drawing.classList.add(data.kind);
    drawing.replaceChildren(this.map.picture);
    drawing.setAttribute("aria-label", `The map in ${this.find(".now").textContent}; it is also there in words`);
    this.find(".screen").classList.toggle("wide", width > 600 && data.kind !== "square");
    this.pointed();
  }

  point(event) {
    this.cell = this.map.at(event) ?? this.cell;
    this.pointed();
  }

  pointed() {
    if (!this.cell) return;
    this.map.mark(...this.cell);
    this.find(".here").textContent = this.map.words(...this.cell);
  }

  showTables() {
    const { data, sender, frame } = this;
    if (this.find(".in-words").open) {
      const rows = data.map[sender][frame].map((row, integer) => [integer, this.said(row)]).filter((row) => row[1]);
      const first = data.kind === "square" ? data.places[0] : "";
      this.find(".in-words .scroll").replaceChildren(table([`Integer ${first}`, "Messages"], rows));
    }
    if (this.find(".all-figures").open) {
      const lines = CURVES.flatMap(({ lines, written }) => Object.entries(lines).map((line) => [...line, written]))
        .filter(([key]) => this.figures.some((each) => each[key] !== null));
      const rows = this.figures.map((each, i) => [data.times[i], ...lines.map(([key, , written]) => (each[key] === null ? "" : written(each[key]))), each.entries]);
      this.find(".all-figures .scroll").replaceChildren(table([data.unit, ...lines.map((line) => line[1]), "entries"], rows));
    }
  }

  /** Return the messages of a row of the map in words, each with the columns in which it is sent. */
  said(row) {
    const { kind, places, messages } = this.data, columns = new Map();
    row.forEach((message, column) => { if (message >= 0) columns.set(message, [...(columns.get(message) ?? []), column]); });
    const where = (of) => (kind === "strip" ? "" : ` (${kind === "square" ? `${places[1]}: ${of.join(", ")}` : of.map((c) => places[c]).join(", ")})`);
    return [...columns].map(([message, of]) => messages[message] + where(of)).join("; ");
  }

  // --- Curves ----------------------------------------------------------------------------------------

  curve({ title, written, lines }) {
    const width = 400, height = 120, left = 38, bottom = 16, { numbers, times } = this.data;
    const shown = Object.entries(lines).filter(([key]) => this.figures.some((each) => each[key] !== null));
    const values = shown.flatMap(([key]) => this.figures.map((each) => each[key] ?? 0));
    const low = Math.min(0, ...values), high = Math.max(written === SHARE ? 1 : 1e-9, ...values);
    const place = (time) => left + ((width - left - 6) * (time - numbers[0])) / (numbers.at(-1) - numbers[0]);
    const x = (i) => place(numbers[i]);
    const y = (value) => 6 + ((height - bottom - 6) * (high - value)) / (high - low);
    const picture = made("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `${title}, over ${this.data.unit}s` });
    for (const value of new Set([y(0) - y(low) < -12 ? low : 0, 0, high])) {
      picture.append(made("line", { class: "grid", x1: left, x2: width - 6, y1: y(value), y2: y(value) }),
        text(left - 5, y(value) + 4, written === SHARE ? `${Math.round(100 * value)}%` : +value.toFixed(1), "end"));
    }
    picture.append(text(left, height - 2, times[0], "start"), text(width - 6, height - 2, times.at(-1), "end"));
    shown.forEach(([key], i) => {
      const points = this.figures.flatMap((each, f) => (each[key] === null ? [] : [`${x(f).toFixed(1)} ${y(each[key]).toFixed(1)}`]));
      picture.append(made("path", { class: `line-${i}`, d: `M${points.join("L")}` }));
    });
    for (const [step, role] of this.data.replaced[this.sender]) {
      picture.append(made("line", { class: `birth ${role}`, x1: place(step), x2: place(step), y1: 2, y2: height - bottom }));
    }
    const at = made("line", { class: "at", y1: 2, y2: height - bottom });
    picture.append(at);
    picture.addEventListener("pointerdown", (event) => {
      const here = new DOMPoint(event.clientX, event.clientY).matrixTransform(picture.getScreenCTM().inverse()).x;
      const near = numbers.map((_, i) => Math.abs(x(i) - here));
      this.stop();
      this.show(near.indexOf(Math.min(...near)));
    });
    const outputs = shown.map(() => element("b"));
    const keys = shown.map(([, name], i) => {
      const key = made("svg", { class: "key", viewBox: "0 0 26 8", "aria-hidden": "true" });
      key.append(made("line", { class: `line-${i}`, x1: 0, x2: 26, y1: 4, y2: 4, "stroke-width": 2.5 }));
      return element("li", [key, `${name} `, outputs[i]]);
    });
    const panel = element("div", [element("h3", [title]), picture, element("ul", keys)], "curve");
    panel.mark = () => {
      at.setAttribute("x1", x(this.frame));
      at.setAttribute("x2", x(this.frame));
      shown.forEach(([key], i) => { const value = this.figures[this.frame][key]; outputs[i].textContent = value === null ? "–" : written(value); });
    };
    return panel;
  }

  // --- Dialects --------------------------------------------------------------------------------------

  showDialects() {
    const { senders, agreement, trees } = this.data;
    if (senders.length < 2) return;
    const same = agreement[this.frame];
    const matrix = table(["Sender", ...senders], same.map((row, i) => [senders[i], ...row.map((share) => `${Math.round(100 * share)}%`)]));
    matrix.className = "matrix";
    [...matrix.tBodies[0].rows].forEach((row, a) => [...row.cells].slice(1).forEach((cell, b) => cell.style.setProperty("--share", same[a][b])));
    this.find(".matrix-of-senders").replaceChildren(matrix);
    this.find(".tree").replaceChildren(this.tree(trees[this.frame]));
    const maps = senders.map((name, sender) => element("figure", [this.mapOf(sender).picture, element("figcaption", [`Sender ${name}`])], "drawing"));
    this.find(".maps").replaceChildren(...maps);
    this.find(".maps").style.setProperty("--least", `${.85 * this.map.picture.viewBox.baseVal.width}px`);
  }

  tree({ leaves, branches }) {
    const left = 90, right = 330, high = 22, { senders } = this.data, height = 30 + high * leaves.length;
    const x = (agreement) => left + (right - left) * (1 - agreement);
    const picture = made("svg", { viewBox: `0 0 ${right + 20} ${height}`, role: "img", "aria-label": "The tree of the dialects; the table has its figures" });
    const node = new Map(leaves.map((sender, i) => [sender, { x: x(1), y: high * (i + .5) }]));
    leaves.forEach((sender, i) => picture.append(text(left - 6, high * (i + .5) + 4, senders[sender], "end")));
    branches.forEach(([a, b, agreement], i) => {
      const [one, other] = [node.get(a), node.get(b)];
      picture.append(made("path", { d: `M${one.x} ${one.y}H${x(agreement)}V${other.y}H${other.x}` }));
      node.set(senders.length + i, { x: x(agreement), y: (one.y + other.y) / 2 });
    });
    for (const share of [1, .5, 0]) picture.append(text(x(share), height - 8, `${100 * share}%`, "middle"));
    return picture;
  }

  // --- Words -----------------------------------------------------------------------------------------

  showWords() {
    const { data, sender, frame } = this, words = data.words[sender], last = data.times.length - 1;
    const search = this.find("[data-search]").value.trim().toLowerCase();
    const now = (word) => word.stays.some(([first, end]) => first <= frame && frame <= end);
    const which = { all: () => true, now, new: (word) => word.stays.some(([first]) => first === frame), drift: (word) => word.stays.length > 1, die: (word) => word.stays.at(-1)[1] < last,
      last: (word) => word.stays.at(-1)[1] === last }[this.find("[data-which]").value];
    const found = words.filter((word) => which(word) && `${word.form} ${word.story}`.toLowerCase().includes(search));
    const of = data.found[sender] > words.length ? ` (the most used of ${data.found[sender].toLocaleString("en-GB")})` : "";
    this.find(".number").textContent = `${found.length} of ${words.length} words${of}`;
    this.find(".words").replaceChildren(...found.slice(0, this.listed).map((word) => this.word(word, now(word))));
    this.find("[data-more]").hidden = found.length <= this.listed;
  }

  word({ form, story, stays }, now) {
    const frames = this.data.times.length;
    const bar = made("svg", { viewBox: `0 0 ${frames} 1`, preserveAspectRatio: "none", "aria-hidden": "true" });
    bar.append(made("rect", { class: "all", width: frames, height: 1 }));
    stays.forEach(([first, last], i) => bar.append(made("rect", { class: `part ${i % 2 ? "odd" : ""}`, x: first, width: last - first + 1, height: 1 })));
    bar.append(made("line", { class: "at", x1: this.frame + .5, x2: this.frame + .5, y1: 0, y2: 1 }));
    return element("li", [element("b", [form]), bar, element("span", [story])], now ? "" : "gone");
  }
}

/** Return the smaller of the two effects of exchanged parts: a language composes as far as both are large. */
function smaller({ integer_effect: integer, offset_effect: offset }) {
  return integer === null ? null : Math.min(integer, offset);
}

function element(tag, children = [], name = "") {
  const node = document.createElement(tag);
  node.append(...children);
  if (name) node.className = name;
  return node;
}

function table(heading, rows) {
  const cell = (tag, value, scope) => {
    const node = element(tag, [`${value}`]);
    if (tag === "th") node.scope = scope;
    return node;
  };
  const head = element("tr", heading.map((name) => cell("th", name, "col")));
  return element("table", [element("thead", [head]), element("tbody", rows.map((row) => element("tr", row.map((value, i) => cell(i ? "td" : "th", value, "row")))))]);
}

document.querySelectorAll(".film").forEach((root) => {
  root.querySelector(".trouble").remove();
  root.film = new Film(root, JSON.parse(document.querySelector(".spatial-game-data").textContent));
});

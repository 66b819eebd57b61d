// A table of cells on a canvas, on which a pointer, a finger and the arrow keys move.

const probe = document.createElement("i");

/** Return a colour of the style sheet, such as "--ink", as the canvas needs it. */
function colourOf(name) {
  document.body.append(probe);
  probe.style.color = `var(${name})`;
  const found = getComputedStyle(probe).color;
  probe.remove();
  return found;
}

/** Return a pattern of diagonal lines, of colours of the style sheet. */
function hatched(line, ground) {
  const tile = document.createElement("canvas"), pen = tile.getContext("2d");
  tile.width = tile.height = 4;
  pen.fillStyle = colourOf(ground);
  pen.fillRect(0, 0, 4, 4);
  pen.fillStyle = colourOf(line);
  for (let i = 0; i < 4; i++) for (const row of [3 - i, (4 - i) % 4]) pen.fillRect(i, row, 1, 1);
  return pen.createPattern(tile, "repeat");
}

/** A picture is: names of `rows` and `columns`, the `fill` of a cell (or null), and what is `said` of it.
 *
 * Optional: titles of both axes (`row`, `column`), whether rows go `up`, and cells are `square`; whether a cell
 * is `pale`, with a line across it; the `country` of a cell, whose borders and names are drawn; `chosen(row, column)` for a click. */
class Grid {
  constructor(parent, label, picture) {
    Object.assign(this, { pale: () => false, high: 14 }, picture);
    this.canvas = document.createElement("canvas");
    for (const [name, value] of Object.entries({ tabindex: 0, role: "application", "aria-label": label })) this.canvas.setAttribute(name, value);
    this.canvas.grid = this;
    parent.append(this.canvas);
    this.at = null;
    this.canvas.addEventListener("pointermove", (event) => this.move(...this.under(event)));
    this.canvas.addEventListener("pointerdown", (event) => this.move(...this.under(event)));
    this.canvas.addEventListener("pointerleave", (event) => { if (event.pointerType === "mouse") this.leave(); });
    this.canvas.addEventListener("click", (event) => { if (event.pointerType !== "touch") this.choose(); });
    this.canvas.addEventListener("keydown", (event) => this.key(event));
    this.canvas.addEventListener("blur", () => this.leave());
    this.draw();
  }

  /** Return the row and the column under the pointer. */
  under(event) {
    const { left, top } = this.canvas.getBoundingClientRect();
    const row = Math.floor((event.clientY - top - this.top) / this.high);
    return [this.up ? this.rows.length - 1 - row : row, Math.floor((event.clientX - left - this.left) / this.wide)];
  }

  /** Mark a cell, the nearest one if there is no such cell, and say what it shows. */
  move(row, column) {
    this.at = [[row, this.rows.length], [column, this.columns.length]].map(([i, size]) => Math.min(Math.max(i, 0), size - 1));
    this.draw();
    show(this.said(...this.at));
  }

  leave() {
    this.at = null;
    this.draw();
    show("");
  }

  choose() { if (this.at && this.chosen) this.chosen(...this.at); }

  key(event) {
    const up = this.up ? 1 : -1;
    const [down, right] = { ArrowUp: [up, 0], ArrowDown: [-up, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key] ?? [];
    if (event.key === "Enter") this.choose();
    if (down === undefined) return;
    event.preventDefault();
    const [row, column] = this.at ?? [0, -right];
    this.move(row + (this.at ? down : 0), column + right);
  }

  /** Draw everything; cheap enough for each move. */
  draw() {
    const pen = this.canvas.getContext("2d"), scale = devicePixelRatio || 1;
    const width = this.canvas.clientWidth || 300, [tall, wide] = [this.rows.length, this.columns.length];
    const font = (size) => { pen.font = `${size}px system-ui, sans-serif`; };
    const longest = (names, size) => { font(size); return Math.max(...names.map((name) => pen.measureText(name).width)); };
    const lines = [this.rows, this.columns].map((names) => names.length > 1 && names.every((name, i) => i === 0 || Number(name) === Number(names[i - 1]) + 1));
    this.left = longest(this.rows, 11) + 5;
    this.wide = (width - this.left - 2) / wide;
    if (this.square) this.high = this.wide * (this.stretch ?? 1);
    this.top = this.row ? 18 : 2;
    const sideways = !lines[1];
    const below = (sideways ? Math.min(longest(this.columns, 10), 150) : 12) + (this.column ? 20 : 6);
    const height = Math.ceil(this.top + tall * this.high + below);
    if (this.canvas.width !== Math.round(width * scale) || this.canvas.height !== Math.round(height * scale)) {
      [this.canvas.width, this.canvas.height] = [Math.round(width * scale), Math.round(height * scale)];
      this.canvas.style.height = `${height}px`;
    }
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    pen.clearRect(0, 0, width, height);
    const whole = (value) => Math.round(value * scale) / scale;
    const x = (column) => whole(this.left + column * this.wide), y = (row) => whole(this.top + (this.up ? tall - 1 - row : row) * this.high);
    const crosses = [];
    for (let row = 0; row < tall; row++) for (let column = 0; column < wide; column++) {
      const fill = this.fill(row, column);
      if (!fill) continue;
      const pale = this.pale(row, column), [left, top] = [x(column), y(row)];
      pen.globalAlpha = pale ? .35 : 1;
      pen.fillStyle = fill;
      pen.fillRect(left, top, x(column + 1) - left, y(row + (this.up ? -1 : 1)) - top);
      pen.globalAlpha = 1;
      if (pale) crosses.push([left, top]);
    }
    pen.strokeStyle = colourOf("--quiet");
    pen.lineWidth = .7;
    pen.beginPath();
    for (const [left, top] of crosses) { pen.moveTo(left + .1 * this.wide, top + .9 * this.high); pen.lineTo(left + .9 * this.wide, top + .1 * this.high); }
    pen.stroke();
    if (this.country) this.borders(pen, x, y);
    pen.fillStyle = colourOf("--quiet");
    const steps = [this.high, this.wide].map((size, i) => lines[i] ? [1, 5, 10, 20, 50, 100].find((step) => step * size >= (i ? 22 : 16)) ?? 100 : Math.ceil(10 / size));
    font(11);
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    this.rows.forEach((name, row) => { if ((lines[0] ? Number(name) : row) % steps[0] === 0) pen.fillText(name, this.left - 4, y(row) + this.high / 2); });
    font(sideways ? 10 : 11);
    this.columns.forEach((name, column) => {
      if ((lines[1] ? Number(name) : column) % steps[1]) return;
      pen.save();
      pen.translate(x(column) + this.wide / 2, this.top + tall * this.high + (sideways ? 4 : 9));
      if (sideways) pen.rotate(-Math.PI / 2); else pen.textAlign = "center";
      pen.fillText(name, 0, 0, 150);
      pen.restore();
    });
    font(12);
    if (this.row) { pen.textAlign = "left"; pen.fillText(`${this.row} ${this.up ? "↑" : "↓"}`, 0, 8); }
    if (this.column) { pen.textAlign = "right"; pen.fillText(`${this.column} →`, width - 2, height - 7); }
    if (!this.at) return;
    pen.strokeStyle = colourOf("--ink");
    pen.lineWidth = 2;
    pen.strokeRect(x(this.at[1]), y(this.at[0]), this.wide, this.high);
  }

  /** Draw the borders of countries, unless they are everywhere, and the name of each where it has most room. */
  borders(pen, x, y) {
    const [tall, wide] = [this.rows.length, this.columns.length];
    const of = this.rows.map((_, row) => this.columns.map((_, column) => this.country(row, column)));
    const across = [], room = of.map((row) => row.map(() => 0)), best = new Map();
    for (let row = 0; row < tall; row++) for (let column = 0; column < wide; column++) {
      if (column && of[row][column] !== of[row][column - 1]) across.push([x(column), y(row), x(column), y(row) + this.high]);
      if (row && of[row][column] !== of[row - 1][column]) {
        const edge = this.up ? y(row) + this.high : y(row);
        across.push([x(column), edge, x(column) + this.wide, edge]);
      }
    }
    const many = across.length > .6 * tall * wide;
    pen.strokeStyle = colourOf("--paper");
    pen.lineWidth = this.wide < 7 ? .7 : 1.4;
    pen.beginPath();
    if (!many) for (const [a, b, c, d] of across) { pen.moveTo(a, b); pen.lineTo(c, d); }
    pen.stroke();
    // The distance from each cell to the next country, in two passes.
    for (const [start, end, step] of [[0, 1, 1], [1, 0, -1]]) {
      for (let i = start * (tall - 1); end ? i < tall : i >= 0; i += step) for (let j = start * (wide - 1); end ? j < wide : j >= 0; j += step) {
        const near = [[i - step, j], [i, j - step], [i - step, j - step], [i - step, j + step]].map(([r, c]) => of[r]?.[c] === of[i][j] ? room[r][c] : 0);
        room[i][j] = end ? 1 + Math.min(...near) : Math.min(room[i][j], 1 + Math.min(...near));
      }
    }
    of.forEach((row, i) => row.forEach((key, j) => { if (room[i][j] > (best.get(key)?.[0] ?? 0)) best.set(key, [room[i][j], i, j]); }));
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    for (const [key, [size, row, column]] of best) {
      const high = Math.min(20, 1.7 * size * Math.min(this.wide, this.high));
      if (key === null || high < 9) continue;
      pen.font = `700 ${high}px system-ui, sans-serif`;
      pen.lineWidth = 3;
      pen.strokeStyle = "#000c";
      pen.fillStyle = "#fff";
      const half = pen.measureText(key).width / 2 + 2, middle = x(column) + this.wide / 2;
      const at = [key, Math.min(Math.max(middle, this.left + half), x(wide) - half), y(row) + this.high / 2];
      pen.strokeText(...at);
      pen.fillText(...at);
    }
  }
}

// The pictures of a language, and two forms that ask it.

const language = await load(document.querySelector(".language-data").textContent);
const state = { map: 0, first: null };

/** Return the data of the page; null if the dictionary finds nothing. */
async function load(packed) {
  if (!packed) return null;
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  const data = await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
  for (const name of ["within", "colours", "seconds"]) data[name] = new Map(data[name]);
  data.byText = new Map(data.messages.map(({ text }, i) => [text, i]));
  data.rare = new Map(data.rare.flatMap(([episodes, texts]) => texts.map((text) => [text, episodes])));
  return data;
}

/** Return a number as people write it. */
function count(number) { return number.toLocaleString("en-GB"); }

function made(tag, attributes, words = "") {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.textContent = words;
  return node;
}

/** Return a text as nodes: what stands for a long set of integers unfolds its members. */
function folded(text) {
  return text.split(/(class \d+[a-z]*|one of \d+ integers(?: of class \d+[a-z]*)? \([^)]*\))/).map((part, i) => {
    if (i % 2 === 0) return part;
    const [, name, members = language?.classes[part]] = part.match(/^([^(]*?)(?: \((.*)\))?$/);
    if (!members) return part;
    const set = made("span", { class: "set", tabindex: 0 }, name);
    set.append(made("span", {}, ` (${members})`));
    return set;
  });
}

/** Return messages by the names of their symbols. */
function named(symbols) { return symbols.map((symbol) => language.names[symbol]).join(" "); }

/** Show what is under the pointer or the cursor, at the foot of the window. */
function show(text) { document.querySelector(".here").textContent = text; }

/** Return a message with its meaning, how often that is true, and how often the receiver is right. */
function line(text) {
  const message = language.messages[language.byText.get(text)];
  if (!message) return text;
  const { says, right, held, ends, rare, receiver } = message;
  const understood = receiver ? `; the receiver is right in ${receiver} of its episodes` : "";
  if (rare) return `${text}: ${says}${understood}`;
  return `${text} says: ${says}${held ? ` – true in ${count(right)} of ${count(held)} held-out episodes (${ends})` : ""}${understood}`;
}

// --- The pictures ---

/** Look within a first symbol, or at all of them (null). */
function zoom(first) {
  const onMap = document.activeElement?.closest(".map") !== null;
  state.first = state.first === first ? null : first;
  showPictures();
  if (onMap) document.querySelector(".map canvas").focus();
}

function showPictures() {
  if (language.maps.length) showMap(language.maps[state.map]);
  showHeat();
}

/** Return a colour that is mixed with black (share below 0) or white. */
function shaded(colour, share) {
  const towards = share < 0 ? 0 : 255;
  return `rgb(${[1, 3, 5].map((i) => Math.round(parseInt(colour.slice(i, i + 2), 16) * (1 - Math.abs(share)) + towards * Math.abs(share))).join(" ")})`;
}

/** Return the rows and columns of a map that are shown: within a first symbol, only those that have its cells. */
function shownOf(map, messageAt) {
  const [rows, columns] = [map.rows, map.columns].map((names) => names.map((_, i) => i));
  const inside = (row, column) => messageAt(row, column)?.[0] === state.first;
  const cut = (list, has) => { const found = list.map(has); return list.slice(found.indexOf(true), found.lastIndexOf(true) + 1); };
  const kept = cut(columns, (column) => rows.some((row) => inside(row, column)));
  if (state.first === null || !kept.length) return [rows, columns];
  return [map.pairs ? cut(rows, (row) => columns.some((column) => inside(row, column))) : rows, kept];
}

/** Return what colours a message: its first symbol, shaded by the second; within a first symbol, the second one. */
function painter(messages) {
  const { colours, seconds, grey } = language, { first } = state;
  if (first === null) return ([symbol, second]) => {
    const shades = seconds.get(symbol) ?? [], light = shades.length > 1 ? shades.indexOf(second) / (shades.length - 1) : .3;
    return shaded(colours.get(symbol) ?? grey, .62 * light - .12);
  };
  const often = new Map(), palette = [...colours.values()].filter((colour) => colour !== grey);
  for (const message of messages) if (message?.[0] === first) often.set(message[1], (often.get(message[1]) ?? 0) + 1);
  const bySecond = new Map([...often].sort((a, b) => b[1] - a[1]).map(([second], i) => [second, palette[i] ?? grey]));
  return ([symbol, second]) => symbol === first ? bySecond.get(second) ?? colours.get(first) : colourOf("--cell");
}

function showMap(map) {
  const { drawn, length, names } = language, { first } = state;
  const at = (row, column) => row * map.columns.length + column, messageAt = (row, column) => drawn[map.best[at(row, column)]];
  const [rows, columns] = shownOf(map, messageAt), of = (i, j) => messageAt(rows[i], columns[j]);
  const paint = painter(rows.flatMap((_, i) => columns.map((_, j) => of(i, j))));
  const said = (i, j) => {
    const message = of(i, j), cell = at(rows[i], columns[j]);
    const about = map.cell.replace("{row}", map.rows[rows[i]]).replace("{column}", map.columns[columns[j]]);
    if (!message) return `${about} → ${map.words.empty}`;
    const begun = length > 1 ? `, and a message that begins with ${names[message[0]]} in ${count(map.begun[cell])}` : "";
    const episodes = `${count(map.episodes[cell])} episode${map.episodes[cell] === 1 ? "" : "s"} with ${map.words.with}`;
    return `${about} → ${map.begun[cell] ? "" : "a guess: "}${line(named(message))}. Of ${episodes}, it was sent in ${count(map.sent[cell])}${begun}.`;
  };
  const parent = document.querySelector(".map");
  parent.replaceChildren();
  parent.classList.toggle("wide", !map.pairs);
  new Grid(parent, `${map.name}: the likeliest message, coloured by its first symbol. Arrow keys move, Enter looks within a first symbol, Escape goes back.`, {
    rows: rows.map((row) => map.rows[row]), columns: columns.map((column) => map.columns[column]), row: map.axes[0], column: map.axes[1],
    up: map.pairs, square: map.pairs, stretch: map.pairs ? Math.min(1, columns.length / rows.length) : 1, high: 30, said,
    fill: (i, j) => of(i, j) ? paint(of(i, j)) : null,
    pale: (i, j) => map.begun[at(rows[i], columns[j])] === 0,
    country: map.pairs && ((i, j) => { const message = of(i, j); return !message ? null : first === null ? names[message[0]] : message[0] === first ? names[message[1]] ?? null : null; }),
    chosen: (i, j) => { if (of(i, j) && length > 1) zoom(of(i, j)[0]); },
  });
  showChoice(map);
  document.querySelector(".caption").textContent = captionOf(map);
}

/** Return what a map shows, in sentences. */
function captionOf(map) {
  const { length, names, bySize } = language, { first } = state;
  return [
    `Each cell has the likeliest message for ${map.words.about}, symbol by symbol.`,
    first !== null ? `Only messages that begin with ${names[first]}; colours are second symbols. Choose it again to go back.`
      : length < 2 ? "Colours are first symbols." : "Colours are first symbols, shades second ones. Choose a first symbol to see what the second one says there.",
    bySize ? "Integers stand by size." : "Integers do not stand by size: those that symbols treat alike stand side by side, also in the heat maps.",
    map.begun.some((begun, i) => begun === 0 && map.best[i] >= 0) ? "Pale cells with a line are guesses: this first symbol was never sent there." : "",
    map.pairs || !map.best.includes(-1) ? "" : "Empty cells have none that says this.",
  ].filter(Boolean).join(" ");
}

/** Show the chooser of maps, and a button for each first symbol. */
function showChoice(map) {
  const { maps, colours, grey, length } = language, { first } = state;
  const used = new Set([...map.best].filter((i) => i >= 0).map((i) => language.drawn[i][0]));
  const select = made("select", { "aria-label": "Offsets of the map" });
  select.append(...maps.map(({ name }, i) => made("option", i === state.map ? { value: i, selected: "" } : { value: i }, name)));
  select.addEventListener("change", () => { state.map = Number(select.value); showMap(maps[state.map]); document.querySelector(".choose select").focus(); });
  const shown = [...colours].filter(([symbol]) => used.has(symbol)).sort(([, one], [, other]) => (one === grey) - (other === grey));
  const buttons = shown.map(([symbol, colour]) => {
    const button = made("button", { type: "button", "aria-pressed": symbol === first }, language.names[symbol]);
    button.prepend(made("i", { style: `background:${colour}` }));
    button.disabled = length < 2;
    button.addEventListener("click", () => { zoom(symbol); document.querySelector(`.choose button[data-symbol="${symbol}"]`)?.focus(); });
    button.dataset.symbol = symbol;
    return button;
  });
  const coloured = shown.filter(([, colour]) => colour !== grey).length, label = (text) => made("span", { class: "quiet" }, text);
  const inGrey = coloured < shown.length ? [label("all in one grey:"), ...buttons.slice(coloured)] : [];
  document.querySelector(".choose").replaceChildren(...(maps.length > 1 ? [select] : []), label("First symbol:"), ...buttons.slice(0, coloured), ...inGrey);
}

function showHeat() {
  const { heat, within, names, address } = language, { first } = state, parent = document.querySelector(".heat");
  document.querySelector(".heat-title").textContent = first === null ? "What each symbol says by itself" : `What the second symbol says after ${names[first]}`;
  parent.replaceChildren();
  if (first !== null) return showPanels(parent, within.get(first) ?? [], first);
  showPanels(parent, heat, null);
  const [most] = [...language.colours.keys()].filter((symbol) => within.has(symbol));
  if (!address || most === undefined) return;
  parent.append(made("h3", {}, `Slot 2, after ${names[most]} in slot 1`));
  showPanels(parent, within.get(most), most);
}

/** Show heat maps: of all symbols, or of second ones after a first one. */
function showPanels(parent, panels, first) {
  const { names, steps, within } = language, after = `After ${names[first]}`;
  if (!panels.length) parent.append(made("p", {}, first === null ? "No symbol tells 0.2 bits about a single offset by itself." : `${after}, the second symbol tells less than 0.2 bits about each offset.`));
  const [rarer, usual, likelier] = ["--rarer", "--usual", "--likelier"].map((name) => colourOf(name).match(/[\d.]+/g).slice(0, 3).map(Number));
  const mixed = (lift) => {
    const share = Math.min(Math.abs(lift) / 3, 1), end = lift < 0 ? rarer : likelier;
    return `rgb(${usual.map((value, i) => Math.round(value + share * (end[i] - value))).join(" ")})`;
  };
  const never = hatched("--never", "--usual");
  const slots = new Map(panels.map(({ slot }) => [slot, made("div", { class: "slot" })]));
  for (const [slot, row] of slots) parent.append(...(first === null ? [made("h3", {}, `Slot ${slot}`)] : []), row);
  for (const each of panels) {
    const box = made("div", {});
    box.append(made("p", {}, `${each.of}: ${each.bits} bits${each.coordinates ? ". Each small grid shows this alone: its symbols may differ in integers" : ""}`));
    slots.get(each.slot).append(box);
    const lift = (i, j) => each.lift[i * each.values.length + j];
    const who = (i) => `${first === null ? `Symbol ${names[each.symbols[i]]} in slot ${each.slot}` : `${after}, symbol ${names[each.symbols[i]]}`} (${count(each.episodes[i])} episodes)`;
    const usually = first === null ? "than usual" : `than after ${names[first]} alone`;
    const label = `Slot ${each.slot} and ${each.of}: ${each.symbols.length} symbols by ${each.values.length} values, ${each.bits} bits. Arrow keys move.`;
    const picture = {
      rows: each.symbols.map((symbol) => names[symbol]), columns: each.values, high: 13,
      fill: (i, j) => lift(i, j) === -128 ? never : mixed(lift(i, j) / steps),
      said: (i, j) => {
        const bits = lift(i, j) / steps, what = each.integers ? `${each.values[j]} ${each.of}` : each.values[j];
        if (lift(i, j) === -128) return `${who(i)}: never with ${what}`;
        const times = 2 ** Math.abs(bits);
        return `${who(i)}: ${what} is ${times < 1.1 ? "as likely as usual" : `${times.toFixed(1)} times ${bits < 0 ? "rarer" : "likelier"} ${usually}`}`;
      },
      chosen: (i) => { if (first === null && each.slot === 1 && within.has(each.symbols[i])) zoom(each.symbols[i]); },
    };
    if (each.coordinates) showSmallGrids(box, label, picture, each.coordinates); else new Grid(box, label, picture);
  }
}

/** Show a small grid for each row of a picture, whose columns have these coordinates; rows that look the same share one. */
function showSmallGrids(box, label, picture, coordinates) {
  const [tall, wide] = [0, 1].map((axis) => Math.max(...coordinates.map((each) => each[axis])) + 1);
  const at = new Map(coordinates.map(([row, column], j) => [row * wide + column, j]));
  box.classList.add("small-grids");
  box.style.setProperty("--wide", `${1 + .8 * wide}rem`);
  const alike = new Map();
  picture.rows.forEach((name, i) => {
    const colours = coordinates.map((_, j) => picture.fill(i, j)).join();
    alike.set(colours, [...(alike.get(colours) ?? []), i]);
  });
  for (const [first, ...others] of alike.values()) {
    const shown = made("div", {}), of = (row, column) => at.get(row * wide + column);
    const name = [first, ...others].map((i) => picture.rows[i]).join(" ");
    shown.append(made("p", {}, name));
    box.append(shown);
    new Grid(shown, `${name}. ${label}`, {
      rows: Array(tall).fill(""), columns: Array(wide).fill(""), square: true,
      fill: (row, column) => of(row, column) === undefined ? null : picture.fill(first, of(row, column)),
      said: (row, column) => of(row, column) === undefined ? "" : [first, ...others].map((i) => picture.said(i, of(row, column))).join("; "),
      chosen: () => picture.chosen(first),
    });
  }
}

// --- Ask it ---

/** Show the lines that a form's question is answered with, at each change. */
function answer(form, find) {
  const shown = () => form.querySelector("output").replaceChildren(...find().map((text) => {
    const shown = made("span", {});
    shown.append(...(typeof text === "string" ? folded(text) : text));
    return shown;
  }));
  form.addEventListener("input", shown);
  form.addEventListener("submit", (event) => { event.preventDefault(); shown(); });
  shown();
}


/** Return what a message means, how sure that is, and for what it was sent; of one that was never sent, what its symbols say. */
function readMessage(fields) {
  const { names, messages, byText, bySymbol, episodes } = language;
  if (fields.some(({ value }) => value === "")) return [""];
  const texts = fields.map(({ value }) => value.trim()), wrong = texts.find((text) => !names.includes(text));
  if (wrong !== undefined) return [`Symbols are ${language.symbols}; got ${wrong}.`];
  const text = texts.join(" "), message = messages[byText.get(text)];
  if (message) return [line(text), [`Sent in ${count(message.episodes)} of ${count(episodes)} episodes, such as for `, ...message.windows.map((window) => made("span", { class: "window" }, window))]];
  return [...howRare(text), "Its symbols say by themselves:", ...texts.map((name, slot) => `${name} in slot ${slot + 1}: ${bySymbol[slot][names.indexOf(name)] || "nothing"}`)];
}

/** Return how often a message was sent that is not read as a whole; of one that was never sent, also how such messages are understood. */
function howRare(text) {
  const { messages, rare, unknown, neverSent } = language, episodes = `${count(language.episodes)} episodes`;
  if (rare.has(text)) return [`${text} was sent in ${count(rare.get(text))} of ${episodes}. Only the ${count(messages.length)} messages that were sent most are read as wholes.`];
  if (unknown) return [`${text} was sent in at most ${count(unknown)} of ${episodes}, or never.`];
  return [`${text} was never sent in these ${episodes}.`, neverSent];
}

/** Return the message that is sent most for integers at cells, given as pairs, and an edge (or null), of those that say this in at least half of their episodes there. */
function best(given, edge) {
  const { messages, complete } = language, scores = messages.map(({ senses, episodes }) => {
    const there = senses.filter(([edges]) => edge === null || edges.includes(edge));
    let right = 0, likely = 0;
    for (const [, statements, share, truth] of there) {
      const sets = given.map(([cell, integer]) => statements.find(([about, values]) => about === cell && values.includes(integer)));
      if (sets.includes(undefined)) continue;
      right += share * truth;
      likely += share * truth / sets.reduce((size, [, values]) => size * values.length, 1);
    }
    return right >= .5 * there.reduce((sum, [, , share]) => sum + share, 0) ? likely * episodes : 0;
  });
  const most = Math.max(...scores);
  if (most === 0) return `No message says this${complete ? "" : `, of the ${count(messages.length)} that were sent most`}.`;
  return line(messages[scores.indexOf(most)].text);
}

function say(fields, where) {
  const most = language.integers - 1;
  const wrong = fields.find(({ value, validity }) => validity.badInput || (value !== "" && (!/^\d+$/.test(value) || Number(value) > most)));
  const given = fields.flatMap(({ value }, cell) => value === "" ? [] : [[cell, Number(value)]]);
  const edge = where.value === "" ? null : Number(where.value);
  if (wrong) return [`Integers are 0 to ${most}; got ${wrong.value || "no whole number"}.`];
  if (!given.length && edge === null) return [""];
  if (new Set(given.map(([, integer]) => integer)).size < given.length) return ["Integers are different."];
  return [best(given, edge)];
}

/** Return the messages whose symbols or meaning have this text. */
function find(text) {
  const wanted = text.replace(/[[\],]/g, " ").replace(/\s+/g, " ").trim().toLowerCase();
  if (!wanted) return [];
  const found = language.messages.filter(({ text, says }) => ` ${text} ${says.toLowerCase().replaceAll(",", "")}`.includes(` ${wanted}`));
  return [`${count(found.length)} of ${count(language.messages.length)} messages`, ...found.slice(0, 20).map(({ text }) => line(text))];
}

function field(name, attributes) {
  const label = made("label", {}, name);
  label.append(made("input", attributes));
  return label;
}

/** Put fields for cells around the target, whose coordinates are the last ones. */
function aroundTarget(fields, coordinates) {
  const around = made("div", { class: "around" });
  [...fields, made("b", {}, "?")].forEach((each, i) => {
    each.style.gridArea = coordinates[i].map((at) => at + 1).join(" / ");
    around.append(each);
  });
  return around;
}

/** Save the messages of the page as a CSV. */
function save() {
  const cell = (value) => `"${String(value).replaceAll('"', '""')}"`;
  const rows = language.messages.map(({ text, says, right, held, receiver, episodes }) => [cell(text), cell(says), right, held, cell(receiver), episodes].join(","));
  const url = URL.createObjectURL(new Blob([["Message,Says,True,Held out,Receiver right,Episodes", ...rows, ""].join("\n")], { type: "text/csv" }));
  made("a", { href: url, download: "messages.csv" }).click();
  URL.revokeObjectURL(url);
}

function start() {
  for (const part of document.querySelectorAll(".pictures, .look-up")) part.hidden = false;
  for (const part of document.querySelectorAll("td, .examples dd, .examples > p")) part.replaceChildren(...folded(part.textContent));
  if (language.edgeFirst) document.querySelector(".pictures").prepend(document.querySelector(".symbols"));
  showPictures();
  document.querySelector(".drawing").remove();
  const { names, cells, coordinates, messages: [{ text }], integers, edges } = language;
  const [reading, saying, finding] = [".read", ".say", ".find"].map((name) => document.querySelector(name));
  reading.querySelector("output").before(...text.split(" ").map((value, slot) => field(`slot ${slot + 1}`, { value, list: "symbols" })));
  const known = made("datalist", { id: "symbols" });
  known.append(...names.map((value) => made("option", { value })));
  const where = made("label", {}, "the target is"), select = made("select", {});
  select.append(made("option", { value: "" }, "anywhere"), ...edges.map((name, edge) => made("option", { value: edge }, name)));
  where.append(select);
  const fields = cells.map((name) => field(name, { type: "number", min: 0, max: integers - 1 }));
  saying.querySelector("output").before(...(coordinates ? [aroundTarget(fields, coordinates)] : fields), where);
  reading.append(known);
  const inputs = (form) => [...form.querySelectorAll("input")];
  answer(reading, () => readMessage(inputs(reading)));
  answer(saying, () => say(inputs(saying), select));
  answer(finding, () => find(finding.querySelector("input").value));
  finding.querySelector(".save").addEventListener("click", save);
  document.addEventListener("keydown", ({ key }) => { if (key === "Escape" && state.first !== null) zoom(null); });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", showPictures);
  let width = innerWidth;
  addEventListener("resize", () => { if (innerWidth !== width) { width = innerWidth; showPictures(); } });
}

if (language) start();

"use strict";
// The views of the page. The part of the address after # names the view, so that links, back and forward work.

const percent = (share) => `${(100 * share).toFixed(share > 0 && share < 0.0995 ? 1 : 0)}%`;
const grouped = (number) => number.toLocaleString("en-GB");
const spoken = (message) => message.join(" ");
const typed = (integer) => (integer === MASK ? "_" : integer === HIDDEN ? "*" : integer);
const link = (route, ...children) => element("a", { href: `#${route}` }, ...children);

class Page {
  static VIEWS = [
    ["sketch", "The language"], ["dictionary", "Dictionary"], ["messages", "Messages"], ["lost", "Lost episodes"], ["alphabet", "Alphabet"],
    ["meaning", "Search by meaning"], ["example", "Search by example"]];

  constructor(root, language, pair) {
    this.language = language;
    this.pair = pair;
    this.nav = root.querySelector("nav");
    this.holder = root.querySelector(".view");
    this.first = root.querySelector("template.first");
    this.kept = new Map();
    this.views = {
      sketch: () => this.sketch(), dictionary: () => this.dictionary(), messages: () => this.messages(), lost: () => this.lost(),
      alphabet: () => this.alphabet(), meaning: (text) => this.meaning(text), example: (text) => this.example(text),
      word: (number) => this.word(Number(number)), message: (name) => this.message(name),
      symbol: (symbol) => this.symbol(Number(symbol)), episode: (number) => this.episode(Number(number)) };
    this.nav.append(...Page.VIEWS.map(([name, title]) => element("a", { href: `#${name}` }, title)));
    this.nav.hidden = false;
    root.querySelector(".trouble").remove();
    window.addEventListener("hashchange", () => this.show(true));
    this.show(false);
  }

  /** Show the view that the address names. Tables are kept, so that going back finds them as they were left. */
  show(moved) {
    const [name, ...rest] = decodeURIComponent(location.hash.slice(1)).split("/");
    const known = name in this.views ? name : "sketch";
    const detail = rest.join("/");
    const key = `${known}/${detail}`;
    for (const child of this.holder.children) child.hidden = true;
    for (const [old, view] of this.kept) if (view.brief && old !== key) { view.remove(); this.kept.delete(old); }
    if (!this.kept.has(key)) {
      const view = element("div", {});
      this.kept.set(key, view);
      this.holder.append(view);
      view.append(...this.views[known](detail).flat(Infinity).filter(Boolean));
      view.brief = detail !== "";
    }
    const view = this.kept.get(key);
    view.hidden = false;
    for (const table of view.tables ?? []) table.redraw();
    for (const anchor of this.nav.children) {
      if (anchor.hash === `#${known}`) anchor.setAttribute("aria-current", "page"); else anchor.removeAttribute("aria-current");
    }
    const heading = view.querySelector("h2");
    document.title = `${heading.textContent} – ${this.language.header.title}`;
    if (moved) {
      heading.tabIndex = -1;
      heading.focus({ preventScroll: true });
      if (detail) window.scrollTo(0, 0);
    }
  }

  // --- Tables ---------------------------------------------------------------------------------------------

  /** Return a table that sorts and filters. A column is [title, field, {kind, width, format, ...}]. */
  table(name, columns, data, { sort, groups } = {}) {
    const holder = element("div", { class: "table", "aria-label": name });
    const status = element("p", { class: "quiet", role: "status" });
    const search = element("input", { type: "search", "aria-label": `Search: ${name}`, placeholder: "Search all columns" });
    requestAnimationFrame(() => {
      const owner = holder.closest(".view > div");
      if (!owner) return; // the view was left before it was drawn
      const table = new Tabulator(holder, {
        data, layout: "fitColumns", responsiveLayout: "hide", maxHeight: "75vh", placeholder: "Nothing matches.",
        columns: columns.map(([title, field, options]) => Page.column(title, field, options)),
        initialSort: sort ? [{ column: sort, dir: "desc" }] : [], headerSortTristate: !sort,
        ...(groups ? { groupBy: groups.field, groupValues: [groups.values], groupToggleElement: "header",
          groupHeader: (value, count) => element("span", { role: "gridcell" }, `${value} (${grouped(count)})`) } : {}),
      });
      owner.tables = [...(owner.tables ?? []), table];
      const counted = (rows) => { status.textContent = `${grouped(rows.length)} of ${grouped(data.length)} rows`; };
      table.on("dataFiltered", (filters, rows) => counted(rows));
      table.on("renderComplete", () => Page.giveRoles(holder));
      table.on("tableBuilt", () => {
        counted(data);
        holder.querySelectorAll(".tabulator-header-filter input").forEach((input) => {
          const title = input.closest(".tabulator-col").querySelector(".tabulator-col-title").textContent;
          input.setAttribute("aria-label", `Filter: ${title}`);
        });
      });
      search.addEventListener("input", () => {
        const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
        table.setFilter((row) => {
          const text = columns.map(([, field]) => String(row[field] ?? "").toLowerCase()).join(" ");
          return words.every((word) => text.includes(word));
        });
      });
    });
    return [element("div", { class: "tools" }, search, status), holder];
  }

  /** Give screen readers the roles that the library leaves out: of the part that scrolls, and of groups. */
  static giveRoles(holder) {
    holder.querySelector(".tabulator-tableholder").setAttribute("role", "rowgroup");
    holder.querySelector(".tabulator-table").setAttribute("role", "presentation");
    holder.querySelectorAll(".tabulator-group").forEach((group) => group.setAttribute("role", "row"));
  }

  static column(title, field, { kind = "text", width, route, digits, responsive = 0, grow = 1 } = {}) {
    const numeric = kind !== "text";
    const written = (value) => {
      if (value === null || value === undefined) return "";
      return kind === "percent" ? percent(value) : kind === "count" ? grouped(value) : digits ? value.toFixed(digits) : String(value);
    };
    return {
      title, field, responsive, minWidth: width, ...(numeric ? { width } : { widthGrow: grow }), hozAlign: numeric ? "right" : "left",
      headerHozAlign: numeric ? "right" : "left", headerSortStartingDir: numeric ? "desc" : "asc",
      sorter: numeric ? "number" : "alphanum", variableHeight: true, cssClass: numeric ? "number" : "words",
      titleFormatter: () => element("button", { type: "button", class: "heading" }, title),
      headerFilter: "input",
      headerFilterPlaceholder: numeric ? "at least" : "contains",
      headerFilterFunc: numeric ? (least, value) => value >= Number(least) / (kind === "percent" ? 100 : 1) : "like",
      formatter: (cell) => {
        const text = written(cell.getValue());
        const target = route && route(cell.getData());
        return target ? link(target, text) : element("span", {}, text);
      },
    };
  }

  // --- The sketch -------------------------------------------------------------------------------------------

  sketch() {
    const shown = this.first.content.firstElementChild.cloneNode(true);
    showSketch(shown);
    return [element("h2", {}, "The language"), shown];
  }

  // --- Dictionary and words -------------------------------------------------------------------------------

  dictionary() {
    const { entries, kinds, legend } = this.language.header;
    const data = entries.map((entry, number) => ({ ...entry, number, title: kinds[entry.kind] }));
    const described = entries.some((entry) => entry.bits !== null);
    return [
      element("h2", {}, "Dictionary"),
      element("p", { class: "quiet" }, "What parts of messages mean. m1, m2, … stand for any symbol. Bits: the information that the form gives in ",
        "an episode. Confidence: how often the meaning is true when the form is sent."),
      this.table("Dictionary", [
        ["Form", "form", { width: 105, route: (row) => `word/${row.number}` }],
        ["Meaning", "words", { width: 130, grow: 4 }],
        ...(described ? [["Bits", "bits", { kind: "number", digits: 2, width: 90, responsive: 2 }]] : []),
        ["NPMI", "npmi", { kind: "number", digits: 2, width: 90, responsive: 4 }],
        ["Confidence", "confidence", { kind: "percent", width: 140, responsive: 3 }],
        ["Episodes", "count", { kind: "count", width: 120, responsive: 1 }],
      ], data, { sort: "count", groups: { field: "title", values: Object.values(kinds).filter((kind) => data.some((row) => row.title === kind)) } }),
      legend.length ? [element("h3", {}, "Classes"), element("ul", {}, legend.map((line) => element("li", {}, line)))] : "",
    ];
  }

  word(number) {
    const { language } = this;
    const entry = language.entries[number];
    if (!entry) return this.missing("This word does not exist.");
    const ids = language.carriers(entry);
    const ranges = ids.map((id) => language.range(id));
    const portrait = language.portrait(RecordedLanguage.each(ranges));
    const others = language.entries.map((other, i) => ({ other, i })).filter(({ i }) => i !== number);
    const sameForm = ({ other }) => other.slot === entry.slot && String(other.symbols) === String(entry.symbols);
    const alike = others.filter((each) => !sameForm(each)).map((each) => ({ ...each, common: overlap(entry.meaning, each.other.meaning) }))
      .filter(({ common }) => common >= 0.5).sort((one, two) => two.common - one.common || two.other.count - one.other.count);
    let held = 0;
    let known = 0;
    for (const i of RecordedLanguage.each(ranges)) {
      const holds = language.anyHolds(entry.senses, i);
      known += holds !== null;
      held += holds === true;
    }
    const facts = [
      entry.bits === null ? "" : `It gives ${entry.bits.toFixed(2)} bits. `,
      `NPMI ${entry.npmi.toFixed(2)}, confidence ${percent(entry.confidence)}, ${grouped(entry.count)} episodes with form and meaning. `,
      `On this page, ${grouped(ids.length)} message${ids.length === 1 ? "" : "s"} and ${grouped(portrait.total)} episodes have the form`,
      known ? `; the meaning is true in ${grouped(held)} of them (${percent(held / known)}).` : "."];
    return [
      element("h2", {}, `${entry.form} – ${entry.words}`),
      element("p", {}, element("span", { class: "quiet" }, language.header.kinds[entry.kind]), element("br"), ...facts),
      entry.full === entry.words ? "" : element("p", { class: "quiet" }, `In full: ${entry.full}`),
      this.classes(entry.words),
      this.picture(portrait, entry.meaning),
      element("h3", {}, "Synonyms"), this.wordList(alike.map(({ i }) => i), "No other form has this meaning or one like it."),
      element("h3", {}, "Homonyms"), this.wordList(others.filter(sameForm).map(({ i }) => i), "The form has no other meaning."),
      element("h3", {}, "Messages with this form"), this.messageList(ids),
      element("h3", {}, "Episodes"), this.episodes(language.examples(ranges, language.header.examples), entry.senses),
    ];
  }

  classes(words) {
    const lines = this.language.header.legend.filter((line) => new RegExp(`\\b${line.split(":")[0]}\\b`).test(words));
    return lines.map((line) => element("p", { class: "quiet" }, line));
  }

  /** The numbers of the entries for which a test holds, most episodes first. */
  wordsWhere(test) {
    const { entries } = this.language;
    return entries.map((entry, i) => i).filter((i) => test(entries[i])).sort((one, other) => entries[other].count - entries[one].count);
  }

  wordList(numbers, none) {
    if (!numbers.length) return element("p", { class: "quiet" }, none);
    const { entries } = this.language;
    const lines = numbers.map((i) => element("li", {}, link(`word/${i}`, entries[i].form), ` ${entries[i].words} `,
      element("span", { class: "quiet" }, `${grouped(entries[i].count)} episodes`)));
    return this.folded(lines, 12);
  }

  messageList(ids) {
    if (!ids.length) return element("p", { class: "quiet" }, "None in these episodes.");
    const { language } = this;
    return this.folded(ids.map((id) => element("li", {}, this.messageLink(id), ` ${language.reads(id)} `,
      element("span", { class: "quiet" }, `${grouped(language.sent[id])} episodes`))), 12);
  }

  /** A list that shows only its first lines until the reader asks for the rest. */
  folded(lines, most) {
    const list = element("ul", {}, lines.slice(0, most));
    if (lines.length <= most) return list;
    const rest = element("details", {}, element("summary", {}, `${grouped(lines.length - most)} more`), element("ul", {}, lines.slice(most)));
    return [list, rest];
  }

  messageLink(id) {
    const message = this.language.message(id);
    return link(`message/${message.join(".")}`, spoken(message));
  }

  // --- The picture of a meaning ---------------------------------------------------------------------------

  /** A picture of which integers stand where: stronger where they do more often than by chance. */
  picture(portrait, meaning = []) {
    if (!portrait.total) return element("p", { class: "quiet" }, "No episode on this page has it.");
    const { places, num_integers: size } = this.language.game;
    const bin = Math.ceil(size / 120);
    const columns = Math.ceil(size / bin);
    const inBin = (column) => Array.from({ length: Math.min(bin, size - column * bin) }, (_, k) => column * bin + k);
    const meant = (place, values) => meaning.some((part) => part.integers && values.some((value) => part.integers.includes(value)) &&
      (part.offset === null || String(part.offset) === String(place.offset)));
    const drawn = heatMap(places.map(({ words }) => words), columns, bin, (row, column) => {
      const values = inBin(column);
      const number = values.reduce((sum, value) => sum + portrait.at[row][value], 0);
      const share = portrait.shown[row] ? number / portrait.shown[row] : 0;
      const name = values.length > 1 ? `${values[0]}–${values[values.length - 1]}` : `${values[0]}`;
      return { strength: share > 0 ? Math.log2((share * size) / values.length) / Math.log2(columns) : 0,
        framed: meant(places[row], values), title: `${name} ${places[row].words}: ${percent(share)} (${grouped(number)})` };
    });
    const rows = this.likely(portrait);
    const around = [
      element("h3", {}, "What stands where"),
      element("figure", {},
        drawn(`Integers by their place next to the target. ${rows.map(({ words, likely }) => `${words}: ${likely}`).join("; ")}.`),
        element("figcaption", { class: "quiet" }, "Columns are integers, rows their places next to the target. The stronger the colour, the more ",
          "over-represented the integer is there. ", meaning.some((part) => part.integers) ? "Framed: what the dictionary says. " : "",
          `Counted in ${grouped(portrait.total)} episodes.`)),
      element("details", {}, element("summary", {}, "The picture as a table"), element("div", { class: "scroll" },
        element("table", { class: "simple" },
          element("thead", {}, element("tr", {}, ["Place", "Shown in", "Most frequent integers"].map((name) => element("th", { scope: "col" }, name)))),
          element("tbody", {}, rows.map(({ words, shown, likely }) =>
            element("tr", {}, element("th", { scope: "row" }, words), element("td", {}, grouped(shown)), element("td", {}, likely))))))),
    ];
    const target = this.targetPicture(portrait, meaning);
    return meaning.some((part) => part.edge !== undefined) ? [target, around] : [around, target];
  }

  /** A picture of how often the target is at each edge, for these episodes and for all episodes. */
  targetPicture(portrait, meaning) {
    const { game: { edges }, edgeTotals, size } = this.language;
    const rows = edges.map(({ name, words }, i) => ({ words: words.replace(/^the target is /, ""), usual: edgeTotals[i] / size,
      share: portrait.edges[i] / portrait.total, framed: meaning.some((part) => part.edge === name) }))
      .filter(({ share, framed }) => share >= 0.005 || framed);
    const framed = rows.some((row) => row.framed);
    return [
      element("h3", {}, "Where the target is"),
      element("figure", {}, barChart(rows, "Where the target is"), element("figcaption", { class: "quiet" },
        "Bars: the share of these episodes. Lines: the share of all episodes. ", framed ? "Framed: what the dictionary says." : "")),
    ];
  }

  likely(portrait) {
    return this.language.game.places.map(({ words }, row) => {
      const shown = portrait.shown[row];
      const order = Array.from(portrait.at[row].keys()).sort((one, other) => portrait.at[row][other] - portrait.at[row][one]);
      const likely = order.slice(0, 5).filter((value) => portrait.at[row][value] > 0)
        .map((value) => `${value} (${percent(portrait.at[row][value] / shown)})`).join(", ");
      return { words, shown, likely: likely || "never shown" };
    });
  }

  // --- Episodes -------------------------------------------------------------------------------------------

  /** Pictures of drawn episodes, each with a link to its own address. */
  episodes(numbers, senses = null) {
    if (!numbers.length) return element("p", { class: "quiet" }, "No episode of it is among those drawn on this page.");
    return numbers.map((number) => {
      const episode = this.language.episode(number);
      const holds = senses ? this.language.anyHolds(senses, this.language.drawn[number]) : null;
      return element("article", { "data-row": episode.row },
        element("h4", {}, link(`episode/${number}`, `Episode ${grouped(episode.row + 1)}`),
          holds === null ? "" : element("span", { class: "quiet" }, holds ? " – the meaning is true here" : " – the meaning is not true here")),
        drawEpisode(episode));
    });
  }

  episode(number) {
    const { language } = this;
    if (!(number >= 0 && number < language.drawn.length)) return this.missing("This episode does not exist.");
    const episode = language.episode(number);
    const words = this.wordsWhere((entry) => language.carries(entry, episode.id));
    return [
      element("h2", {}, `Episode ${grouped(episode.row + 1)}`),
      element("p", { class: "quiet" }, `Row ${grouped(episode.row + 1)} of the recording.`),
      element("h3", {}, "What happened"), element("div", { "data-row": episode.row }, drawEpisode(episode)),
      element("h3", {}, "Its message"), element("p", {}, this.messageLink(episode.id), ` is sent in ${grouped(language.sent[episode.id])} episodes.`),
      this.classes(episode.words),
      element("h3", {}, "Words in it"), this.wordList(words, "It contains no form of the dictionary."),
      element("p", {}, link(`example/${episode.window.map(typed).join(".")}`, "Search for windows like this one")),
    ];
  }

  lost() {
    const { language } = this;
    if (!language.decided) {
      return [element("h2", {}, "Lost episodes"), element("p", {}, "The recording does not say what the receiver chose.")];
    }
    const total = language.outcome.filter((outcome) => outcome === RecordedLanguage.LOST).length;
    const data = language.drawnWhere((i) => language.outcome[i] === RecordedLanguage.LOST, Infinity).map((number) => {
      const episode = language.episode(number);
      return { number, episode: episode.row + 1, message: spoken(episode.message), words: episode.words,
        window: episode.window.map(typed).join(" "),
        target: episode.candidates?.[episode.targetIndex], choice: episode.candidates?.[episode.choice] };
    });
    return [
      element("h2", {}, "Lost episodes"),
      element("p", {}, `The receiver was wrong in ${grouped(total)} of ${grouped(language.size)} episodes (${percent(total / language.size)}).`,
        data.length < total ? ` Here is an even sample of ${grouped(data.length)}.` : ""),
      this.table("Lost episodes", [
        ["Episode", "episode", { kind: "count", width: 120, route: (row) => `episode/${row.number}` }],
        ["Window", "window", { width: 120, grow: 1, responsive: 1 }],
        ["Message", "message", { width: 112, route: (row) => `message/${row.message.replaceAll(" ", ".")}` }],
        ["Meaning", "words", { width: 150, grow: 4, responsive: 3 }],
        ["Target", "target", { kind: "number", width: 100 }],
        ["Choice", "choice", { kind: "number", width: 100, responsive: 2 }],
      ], data),
    ];
  }

  // --- Messages and symbols -------------------------------------------------------------------------------

  messages() {
    const { language } = this;
    const data = Array.from({ length: language.numMessages }, (_, id) => {
      const [first, end] = language.range(id);
      let lost = 0;
      for (let i = first; i < end; i += 1) lost += language.outcome[i] === RecordedLanguage.LOST;
      return { message: spoken(language.message(id)), sent: language.sent[id], lost: lost / (end - first),
        words: language.header.reads[id] ?? null, counts: language.countsSay(id) };
    });
    return [
      element("h2", {}, "Messages"),
      element("p", { class: "quiet" }, `All ${grouped(language.numMessages)} messages in these ${grouped(language.size)} episodes. `,
        "Meaning: what the dictionary says. “Counts say” needs no dictionary: it shows what is most common in the ",
        "windows of the message.",
        language.numMessages > language.header.read ? ` The ${grouped(language.header.read)} most frequent are shown in words.` : ""),
      this.table("Messages", [
        ["Message", "message", { width: 112, route: (row) => `message/${row.message.replaceAll(" ", ".")}` }],
        ["Meaning", "words", { width: 130, grow: 3 }],
        ["Counts say", "counts", { width: 130, grow: 2, responsive: 3 }],
        ...(language.decided ? [["Lost", "lost", { kind: "percent", width: 95, responsive: 2 }]] : []),
        ["Episodes", "sent", { kind: "count", width: 120, responsive: 1 }],
      ], data, { sort: "sent" }),
    ];
  }

  message(name) {
    const { language } = this;
    const symbols = name.split(".").map(Number);
    const id = symbols.length === language.game.message_length ? language.idOf(symbols) : -1;
    if (id < 0) return this.missing(`The message ${symbols.join(" ")} was not sent in these episodes.`);
    const range = language.range(id);
    const portrait = language.portrait(RecordedLanguage.each([range]));
    const words = this.wordsWhere((entry) => language.carries(entry, id));
    return [
      element("h2", {}, `Message ${spoken(symbols)}`),
      element("p", {}, `Sent in ${grouped(portrait.total)} of ${grouped(language.size)} episodes`,
        portrait.won + portrait.lost ? `; the receiver was right in ${percent(portrait.won / (portrait.won + portrait.lost))}.` : "."),
      element("p", {}, element("span", { class: "quiet" }, "The dictionary says: "), language.reads(id)), this.classes(language.reads(id)),
      language.countsSay(id) ? element("p", {}, element("span", { class: "quiet" }, "Counts say: "), language.countsSay(id)) : "",
      this.picture(portrait),
      element("h3", {}, "Words in it"), this.wordList(words, "It contains no form of the dictionary."),
      element("h3", {}, "Messages that differ in one symbol"), this.messageList(language.alike(id)),
      element("h3", {}, "Episodes"), this.episodes(language.examples([range], language.header.examples)),
    ];
  }

  alphabet() {
    const { language } = this;
    const { alphabet, bySlot } = language.header;
    const { total } = language.header;
    const data = alphabet.map((row) => ({ ...row, share: row.sent / total, words: this.alone(row), title: Page.slotTitle(row.slot, bySlot) }));
    const titles = [...new Set(data.map(({ title }) => title))];
    const slots = [...new Set(alphabet.map(({ slot }) => slot))].filter((slot) => slot !== null);
    const symbols = [...new Set(alphabet.map(({ symbol }) => symbol))].sort((one, other) => one - other);
    const shareOf = (slot, symbol) => (alphabet.find((row) => row.slot === slot && row.symbol === symbol)?.sent ?? 0) / total;
    const drawn = heatMap(slots.map((slot) => `slot ${slot + 1}`), symbols.length, 1, (row, column) => {
      const share = shareOf(slots[row], symbols[column]);
      return { strength: share > 0 ? Math.min(1, 4 * share) : 0, framed: false, title: `${symbols[column]} at slot ${slots[row] + 1}: ${percent(share)}` };
    }, (column) => symbols[column]);
    return [
      element("h2", {}, "Alphabet"),
      slots.length && symbols.length <= 120 ? element("figure", {}, drawn("How often each symbol is in each slot; the table below has the numbers."),
        element("figcaption", { class: "quiet" }, "Columns are symbols. The stronger the colour, the more often the symbol is in the slot.")) : "",
      element("p", { class: "quiet" }, "Meaning: what the dictionary says about the symbol alone. Bits: the information about single places around the ",
        "target, added up. Share: of all episodes."),
      this.table("Alphabet", [
        ["Symbol", "symbol", { kind: "number", width: 105, route: (row) => `symbol/${row.symbol}` }],
        ["Meaning", "words", { width: 120, grow: 3 }],
        ["Counts say", "says", { width: 120, grow: 2, responsive: 3 }],
        ["Bits", "bits", { kind: "number", digits: 2, width: 90, responsive: 1 }],
        ["Share", "share", { kind: "percent", width: 95, responsive: 2 }],
        ["Episodes", "sent", { kind: "count", width: 120, responsive: 4 }],
      ], data, { sort: "sent", groups: { field: "title", values: titles } }),
    ];
  }

  static slotTitle(slot, bySlot) {
    if (slot === null) return "At any slot";
    return `Slot ${slot + 1}${bySlot.length ? `, which alone gives ${bySlot[slot].toFixed(2)} bits` : ""}`;
  }

  /** What the dictionary says about a symbol alone, at a slot or at any. */
  alone({ symbol, slot }) {
    return this.language.entries.filter((entry) => entry.slot === slot && entry.symbols.length === 1 && entry.symbols[0] === symbol)
      .map(({ words }) => words).join("; or ");
  }

  symbol(symbol) {
    const { language } = this;
    const rows = language.header.alphabet.filter((each) => each.symbol === symbol);
    if (!rows.length) return this.missing(`The symbol ${symbol} was not sent.`);
    const words = this.wordsWhere(({ symbols }) => symbols.includes(symbol));
    return [
      element("h2", {}, `Symbol ${symbol}`),
      element("h3", {}, "Words with it"), this.wordList(words, "None."),
      rows.map((row) => {
        const ranges = language.carriers({ symbols: [symbol], slot: row.slot }).map((id) => language.range(id));
        const alone = this.alone(row);
        return [element("h2", {}, row.slot === null ? "At any slot" : `At slot ${row.slot + 1}`),
          element("p", {}, `In ${grouped(row.sent)} episodes (${percent(row.sent / language.header.total)})`,
            row.bits === null ? ". " : `; it gives ${row.bits.toFixed(2)} bits about single places. `,
            alone ? [element("span", { class: "quiet" }, "The dictionary says: "), `${alone}. `] : "",
            row.says ? [element("span", { class: "quiet" }, "Counts say: "), `${row.says}.`] : ""),
          this.picture(language.portrait(RecordedLanguage.each(ranges)))];
      }),
    ];
  }

  // --- Searching ------------------------------------------------------------------------------------------

  /** A form of one line. Its text becomes the last part of the address. */
  ask(view, label, hint, text) {
    const input = element("input", { type: "text", value: text, autocomplete: "off", size: 28 });
    return element("form", { class: "tools", submit: (event) => {
      event.preventDefault();
      location.hash = `${view}/${encodeURIComponent(input.value.trim())}`;
    } }, element("label", {}, `${label} `, input), element("button", {}, "Search"), element("p", { class: "quiet hint" }, hint));
  }

  meaning(text) {
    const { language } = this;
    const top = [element("h2", {}, "Search by meaning"), this.ask("meaning", "Meaning", language.howToAsk, text)];
    if (!text) return top;
    let meaning;
    try { meaning = language.asked(text); } catch (error) { return [...top, element("p", { role: "alert" }, error.message)]; }
    const words = language.entries.map((entry, i) => ({ i, entry, fit: this.fit(entry.meaning, meaning) })).filter(({ fit }) => fit > 0)
      .sort((one, other) => other.fit - one.fit || other.entry.count - one.entry.count);
    const rows = [];
    for (let i = 0; i < language.size; i += 1) if (language.holds(meaning, i)) rows.push(i);
    const sent = new Map();
    for (const i of rows) {
      const id = language.idAt(i);
      sent.set(id, (sent.get(id) ?? 0) + 1);
    }
    const data = [...sent].map(([id, number]) => ({ message: spoken(language.message(id)), number, ofThese: number / rows.length,
      ofMessage: number / language.sent[id], words: language.reads(id) }));
    const isHere = new Set(rows);
    return [
      ...top,
      element("h3", {}, "Words with this meaning"), this.wordList(words.map(({ i }) => i), "The dictionary has no word with this meaning."),
      element("h3", {}, "Messages sent where it was true"),
      element("p", { class: "quiet" }, `This was true in ${grouped(rows.length)} of ${grouped(language.size)} episodes. “Of its uses” is how often it was `,
        "true when the message was sent: near 100%, the message means it."),
      data.length ? this.table("Messages sent where it was true", [
        ["Message", "message", { width: 112, route: (row) => `message/${row.message.replaceAll(" ", ".")}` }],
        ["Meaning", "words", { width: 120, grow: 4, responsive: 3 }],
        ["Of these", "ofThese", { kind: "percent", width: 120, responsive: 2 }],
        ["Of its uses", "ofMessage", { kind: "percent", width: 130 }],
        ["Episodes", "number", { kind: "count", width: 120, responsive: 1 }],
      ], data, { sort: "number" }) : "",
      element("h3", {}, "Episodes"), this.episodes(language.drawnWhere((i) => isHere.has(i), language.header.examples), [meaning]),
    ];
  }

  /** How well a word fits a meaning: 0 if it does not; the fewer other meanings it may have, the higher. */
  fit(meant, asked) {
    let fit = 1;
    for (const part of asked) {
      const match = meant.find((other) => (part.edge !== undefined ? other.edge === part.edge : other.integers &&
        (part.offset === null || String(other.offset) === String(part.offset)) && part.integers.some((value) => other.integers.includes(value))));
      if (!match) return 0;
      if (part.integers) fit *= part.integers.filter((value) => match.integers.includes(value)).length / match.integers.length;
    }
    return fit / meant.length;
  }

  example(text) {
    const { language } = this;
    const { shape, num_hidden: hidden } = language.game;
    const rows = shape.length > 1 ? ", row by row" : "";
    const marks = hidden ? `_ for the target and * for each of the ${hidden} hidden cells` : "_ for the target";
    const example = language.size ? language.windowAt(Math.floor(language.size / 2)).map(typed).join(" ") : "";
    const top = [element("h2", {}, "Search by example"), this.ask("example", "Window",
      `${language.width} cells${rows}, with ${marks}, such as “${example}”.`, text.replaceAll(".", " "))];
    if (!text) return top;
    const cells = text.split(/[\s.,]+/).filter(Boolean).map((each) => (/^[_?x]$/i.test(each) ? MASK : each === "*" ? HIDDEN : Number(each)));
    const fault = this.faultOf(cells);
    if (fault) return [...top, element("p", { role: "alert" }, fault)];
    const found = language.nearest(cells, 10);
    const nearest = found.map(({ i, differing }) => {
      const id = language.idAt(i);
      const won = ["not known", "lost", "won"][language.outcome[i]];
      return element("tr", {},
        element("td", {}, this.windowPicture(language.windowAt(i), (integer, cell) => integer === cells[cell])),
        element("td", {}, this.messageLink(id)), element("td", { class: "words" }, language.reads(id)), element("td", {}, String(differing)), element("td", {}, won));
    });
    const near = [...new Set(found.filter(({ differing }) => differing === found[0].differing).map(({ i }) => language.idAt(i)))];
    return [
      ...top,
      element("h3", {}, "Your window"), this.windowPicture(cells),
      this.pair ? this.said(this.pair, cells) : "",
      element("h3", {}, "The most similar recorded windows and their messages"),
      element("p", { class: "quiet" }, "These windows have the target at the same place and differ from yours in the fewest cells. Cells that agree are blue."),
      element("div", { class: "scroll" }, element("table", { class: "simple" }, element("thead", {}, element("tr", {},
        ["Window", "Message", "The dictionary says", "Cells that differ", "Outcome"].map((name) => element("th", { scope: "col" }, name)))),
      element("tbody", {}, nearest))),
      near.length ? [element("h3", {}, "Episodes of the first message"), this.episodes(language.examples([language.range(near[0])], 3))] : "",
    ];
  }

  /** A window as a picture; those of its cells that are `marked` are blue. */
  windowPicture(window, marked) {
    const axes = this.language.game.shape.length;
    return inColumns(windowCells(window, marked), axes > 1 ? sideOf(window, axes) : 0, "small");
  }

  /** What the pair sends for a window, recorded or not. */
  said(pair, cells) {
    const { language } = this;
    const message = pair.send(cells);
    const id = language.idOf(message);
    return [element("h3", {}, `What ${pair.name} says`),
      element("div", { class: "cells" }, message.map((symbol) => pictureCell(symbol, "symbol"))),
      id < 0 ? element("p", {}, "This message was not sent in the recorded episodes.")
        : element("p", {}, this.messageLink(id), `: ${language.reads(id)}. Sent in ${grouped(language.sent[id])} episodes.`),
      id < 0 ? "" : this.classes(language.reads(id))];
  }

  faultOf(cells) {
    const { width, game } = this.language;
    if (cells.length !== width) return `A window must have ${width} cells; got ${cells.length}.`;
    if (cells.filter((value) => value === MASK).length !== 1) return "A window must have one _ in place of the target.";
    const hidden = cells.filter((value) => value === HIDDEN).length;
    if (hidden !== game.num_hidden) return `A window must have ${game.num_hidden} hidden cells, each a *; got ${hidden}.`;
    const integers = cells.filter((value) => value !== MASK && value !== HIDDEN);
    const inGame = (value) => Number.isInteger(value) && value >= 0 && value < game.num_integers;
    if (!integers.every(inGame)) return `Integers must be 0 to ${game.num_integers - 1}.`;
    if (new Set(integers).size < integers.length) return "The integers of a window must be different.";
    return "";
  }

  missing(text) { return [element("h2", {}, "Not found"), element("p", {}, text), element("p", {}, link("dictionary", "Dictionary"))]; }
}

/**
 * Prepare a picture of cells in rows, and return a function that draws it with a description.
 *
 * look(row, column) returns {strength, framed, title}, the strength 0 to 1. Columns have numbers below: those of
 * `name`, by default column * bin.
 */
function heatMap(rows, columns, bin, look, name = (column) => column * bin) {
  const [left, top, side, tall] = [Math.max(60, 12 + 7 * Math.max(...rows.map((row) => row.length))), 4, Math.min(28, Math.max(6, Math.floor(720 / columns))), 20];
  const cells = [];
  rows.forEach((words, row) => {
    const y = top + row * (tall + 2);
    cells.push(drawing("text", { x: left - 8, y: y + 14, class: "place" }, words));
    for (let column = 0; column < columns; column += 1) {
      const { strength, framed, title } = look(row, column);
      cells.push(drawing("rect", { x: left + column * side, y, width: side - 1, height: tall, class: framed ? "meant" : "bare",
        "fill-opacity": Math.min(1, Math.max(0, strength)).toFixed(3) }, drawing("title", {}, title)));
    }
  });
  const bottom = top + rows.length * (tall + 2);
  const step = [1, 2, 5, 10, 20, 50, 100].find((each) => each * side >= (bin * each > 999 ? 44 : 26)) ?? 100;
  for (let column = 0; column < columns; column += step) {
    cells.push(drawing("text", { x: left + column * side, y: bottom + 14, class: "integer" }, String(name(column))));
  }
  return (description) => scrolling(cells, left + columns * side + 24, bottom + 20, description);
}

/** Draw shares as bars, each with a line at its usual share. */
function barChart(rows, title) {
  const [left, long, tall] = [12 + 7 * Math.max(...rows.map(({ words }) => words.length)), 120, 22];
  const bars = rows.map(({ words, share, usual, framed }, row) => {
    const [y, height] = [4 + row * tall, tall - 4];
    return [
      drawing("text", { x: left - 8, y: y + 14, class: "place" }, words),
      drawing("rect", { x: left, y, width: long * share, height, class: "bare" }),
      drawing("rect", { x: left, y, width: long, height, class: framed ? "meant" : "bare", "fill-opacity": 0.05 }),
      drawing("line", { x1: left + long * usual, x2: left + long * usual, y1: y - 1, y2: y + height + 1, class: "usual" }),
      drawing("text", { x: left + long + 8, y: y + 14, class: "integer" }, `${percent(share)} (${percent(usual)} of all)`),
    ];
  });
  const told = rows.map(({ words, share, usual }) => `${words}: ${percent(share)}, of all episodes ${percent(usual)}`);
  return scrolling(bars.flat(), left + long + 130, rows.length * tall + 4, `${title}. ${told.join("; ")}.`);
}

function scrolling(parts, width, height, description) {
  return element("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "Picture, scrolls sideways" },
    drawing("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", class: "portrait", width, height, "aria-label": description }, parts));
}

function drawing(tag, attributes, ...children) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children.flat());
  return made;
}

(async () => {
  const root = document.querySelector(".language");
  const data = JSON.parse(document.querySelector(".spatial-game-data").textContent);
  try {
    root.page = new Page(root, new RecordedLanguage(await unpack(data.language)), data.pair && (await Pair.unpack(data.pair)));
  } catch (error) {
    root.querySelector(".trouble").textContent = `This browser cannot show the page (${error.message}).`;
    throw error;
  }
})();

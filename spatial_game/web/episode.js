"use strict";
// Packed data, elements, and the picture of an episode. Texts become text nodes, so that nothing in them is taken for HTML.

const MASK = -1; // the target in a window
const HIDDEN = -2; // a cell of a window that the sender does not see

/** Return the bytes that a text holds in base64. */
function fromBase64(text) {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}

/** Return the bytes that Python has deflated and written as a text. */
async function inflate(text) {
  const stream = new Blob([fromBase64(text)]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).arrayBuffer();
}

/** Return an element with attributes and children. An attribute that is a function listens to that event. */
function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") made.addEventListener(name, value);
    else if (value !== null && value !== undefined && value !== false) made.setAttribute(name, value);
  }
  made.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== ""));
  return made;
}

/** Return a cell of a picture; its kinds are those of the style sheet. */
function pictureCell(text, ...kinds) {
  return element("span", { class: ["cell", ...kinds].filter(Boolean).join(" ") }, String(text));
}

/**
 * Return the picture of an episode, with the parts and colours of the package's pictures.
 *
 * episode: {sequence, shown, target, window, message, candidates, targetIndex, choice, words}. What the recording
 * does not have is null. In a grid, `axes` is their number, and `columns` the length of the last one. `shown` holds
 * the places of the sequence that the window shows, and `target` the place of the target.
 */
function drawEpisode(episode) {
  const { sequence, candidates, targetIndex, choice, window, message } = episode;
  const decided = candidates !== null && targetIndex !== null && choice !== null && choice >= 0;
  const columns = (number) => (episode.axes > 1 ? number : 0);
  const parts = [];
  if (sequence) {
    parts.push(panel("Sequence", "the sender sees only the window around the target", sequence.map((integer, place) =>
      pictureCell(integer, place === episode.target ? "target" : episode.shown.includes(place) ? "window" : "",
        candidates && candidates.includes(integer) ? "candidate" : "")), columns(episode.columns), "wide"));
  }
  parts.push(panel("Sender", "sees the window; the target is hidden", windowCells(window),
    columns(sideOf(window, episode.axes))));
  parts.push(panel("Message", `${message.length} symbol${message.length > 1 ? "s" : ""}`,
    message.map((symbol) => pictureCell(symbol, "symbol"))));
  if (candidates) {
    parts.push(panel("Receiver", "sees the sequence; which one is meant?", candidates.map((integer, index) =>
      pictureCell(integer, "candidate", decided && index === targetIndex ? "target" : "",
        decided && index === choice ? (choice === targetIndex ? "right" : "wrong") : ""))));
  }
  parts.push(element("div", { class: "card wide" }, outcome(episode, decided),
    episode.words ? element("p", {}, element("span", { class: "quiet" }, "In words  "), episode.words) : ""));
  return element("div", { class: "episode", role: "group", "aria-label": episodeInWords(episode, decided) }, parts);
}

function panel(title, note, cells, columns = 0, kind = "") {
  return element("section", { class: `card ${kind}` }, element("h4", {}, title), element("p", { class: "quiet" }, note),
    inColumns(cells, columns));
}

/** Cells one after another; in columns, if they are those of a grid. */
function inColumns(cells, columns = 0, kind = "") {
  const style = columns ? `display: grid; grid-template-columns: repeat(${columns}, max-content); overflow-x: auto` : null;
  return element("div", { class: `cells ${kind}`, style }, cells);
}

/** The cells of a window; those that are `marked` are blue. */
function windowCells(window, marked = () => true) {
  return window.map((integer, cell) => {
    if (integer === MASK) return pictureCell("?", "target");
    return integer === HIDDEN ? pictureCell("", "empty") : pictureCell(integer, marked(integer, cell) ? "window" : "");
  });
}

/** The length of each axis of a window. */
function sideOf(window, axes) { return Math.round(window.length ** (1 / axes)); }

function outcome({ candidates, targetIndex, choice }, decided) {
  if (!decided) return element("p", { class: "quiet" }, "The recording does not say what the receiver chose.");
  return choice === targetIndex
    ? element("p", { class: "right-text" }, `✓ Right: the receiver chose ${candidates[choice]}.`)
    : element("p", { class: "wrong-text" },
      `✗ Wrong: the receiver chose ${candidates[choice]}; the target is ${candidates[targetIndex]}.`);
}

function episodeInWords({ window, message, candidates, targetIndex, choice }, decided) {
  const seen = window.map((integer) => (integer === MASK ? "the target" : integer === HIDDEN ? "nothing" : integer)).join(", ");
  const verdict = choice === targetIndex ? "right" : decided ? `wrong: it is ${candidates[targetIndex]}` : "";
  const end = decided ? ` The receiver chooses ${candidates[choice]}, which is ${verdict}.` : "";
  return `The sender sees ${seen}, and sends ${message.join(" ")}.${end}`;
}

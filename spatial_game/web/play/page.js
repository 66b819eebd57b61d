"use strict";
// The page: what is shown, and what a person does.

const root = document.querySelector(".spatial-game.play");
const data = [...document.querySelectorAll(".spatial-game-data")].at(-1).textContent;
const pairs = [];
const part = (name) => root.querySelector(`[data-part="${name}"]`);
const percent = (share) => `${Math.round(100 * share)}%`;
const spelled = (message) => message.map((symbol) => symbol ?? "_").join(" ");

/** Return a text that is heard and not seen. */
const unseen = (text) => element("span", { class: "unseen" }, text);

const seed = Number(new URLSearchParams(location.hash.slice(1)).get("seed") ?? Math.floor(Math.random() * 1e6));
const game = {};

// --- An episode -----------------------------------------------------------------------------------------

/** Begin an episode: draw it, and let the pair's sender speak unless the person is to. */
function begin() {
  const { pair, role } = game;
  const episode = newEpisode(pair.config, game.random);
  const own = pair.send(episode.window); // what the pair's sender says
  const nothing = Array(pair.config.message_length).fill(null);
  Object.assign(game, { episode, own, sent: null, choice: null, message: nothing, slot: 0 });
  game.number += 1;
  if (role !== "sender") send(own);
  if (role === "nobody") choose(receiverChoice(own));
  show();
}

/** Return what the pair's receiver chooses by a message. */
function receiverChoice(message) {
  return game.pair.choose(message, game.episode.sequence, game.episode.candidates);
}

/** Send a message. */
function send(message) {
  game.sent = [...message];
  game.message = [...message];
}

/** End the episode with a choice, and count it. */
function choose(choice) {
  const { episode, role, score } = game;
  game.choice = choice;
  game.agentChoice = role === "nobody" ? choice : receiverChoice(role === "sender" ? game.own : game.sent);
  score.played += 1;
  score.won += choice === episode.targetIndex;
  score.agent += game.agentChoice === episode.targetIndex;
}

/** Put a symbol into the slot, and go on to the next one while the message is being written. */
function pick(symbol) {
  const { message, sent } = game;
  message[game.slot] = symbol;
  if (!sent && message.includes(null)) {
    while (message[game.slot] !== null) game.slot = (game.slot + 1) % message.length;
  }
  showMessage();
}

// --- What is shown --------------------------------------------------------------------------------------

/** Show the whole episode as it stands. */
function show() {
  const { role, sent, choice } = game;
  root.dataset.phase = choice !== null ? "over" : role === "sender" ? "speak" : "choose";
  showScore();
  showSequence();
  showWindow();
  showCandidates();
  showVerdict();
  showSuggestions();
  part("symbols-title").textContent = sent ? "Change a symbol" : "Symbols";
  part("symbols-note").textContent = sent
    ? "Select a slot of the message above, then a symbol. The receiver's probabilities change."
    : "Choose a symbol for each slot. The receiver sees the message, the sequence and the candidates.";
  showMessage();
}

function showScore() {
  const { role, score, number } = game;
  const won = `${score.won} of ${score.played}`;
  const yours = `You won ${won}. The pair's ${role} would have won ${score.agent}.`;
  part("score").textContent = !score.played ? "" : role === "nobody" ? `The pair won ${won}.` : yours;
  part("number").textContent = `Episode ${number} of seed ${seed}`;
}

/** Show the sequence: to a receiver with its candidates, at the end with everything, to a sender not at all. */
function showSequence() {
  const { episode, choice, pair } = game;
  const over = choice !== null;
  const cells = episode.sequence.map((integer, place) => {
    const marks = [];
    if (over && place === episode.position) marks.push("target");
    else if (over && place >= episode.start && place < episode.start + episode.window.length) marks.push("window");
    if (episode.candidates.includes(integer)) marks.push("candidate");
    const heard = marks.length ? unseen(`, ${marks.join(", ")}`) : null;
    return element("li", { class: ["cell", ...marks].join(" ") }, `${integer}`, heard);
  });
  part("sequence").replaceChildren(...cells);
  part("sequence-note").textContent = over
    ? "one of them is the target; the sender sees only the window around it"
    : "choose one of the candidates below";
  part("legend").dataset.over = over;
}

/** Show what the sender sees. */
function showWindow() {
  const { episode, role, choice } = game;
  const hidden = role === "receiver" && choice === null;
  const cells = episode.window.map((cell) => {
    if (cell === MASK) return element("li", { class: "cell target" }, "?", unseen(" the target"));
    return element("li", { class: "cell window" }, `${cell}`);
  });
  part("window").replaceChildren(...(hidden ? [] : cells));
  const note = hidden ? "has seen the neighbours of the target" : "sees the window; the target is hidden";
  part("sender-note").textContent = note;
}

/** Show the candidates: as buttons for a receiver, and with their probabilities at the end. */
function showCandidates() {
  const { episode, role, choice } = game;
  const over = choice !== null;
  const hidden = role === "sender" && !over;
  const cells = episode.candidates.map(over ? candidateAtEnd : candidateButton);
  part("candidates").replaceChildren(...(hidden ? [] : cells));
  const note = hidden ? "will see the sequence and candidates" : "sees the sequence; which one is meant?";
  part("receiver-note").textContent = note;
}

function candidateButton(integer, index) {
  const attributes = { type: "button", class: "cell candidate", "aria-label": `Choose ${integer}` };
  return element("li", {}, element("button", { ...attributes, click: () => finish(index) }, `${integer}`));
}

/** Return a candidate with its bar, the target and the choice among them marked. */
function candidateAtEnd(integer, index) {
  const { episode, role, choice } = game;
  const isTarget = index === episode.targetIndex;
  const mark = index !== choice ? "" : isTarget ? "right" : "wrong";
  const badge = mark && element("span", { class: "badge", "aria-hidden": "true" }, isTarget ? "✓" : "✕");
  const heard = [isTarget ? ", the target" : "", mark && (role === "receiver" ? ", your choice" : ", chosen")].join("");
  const kinds = ["cell candidate", isTarget ? "target" : "", mark].join(" ");
  return element("li", {},
    element("span", { class: kinds }, `${integer}`, badge, heard && unseen(heard)),
    element("span", { class: "bar", "aria-hidden": "true" }, element("span")),
    element("span", { class: "share" }));
}

const TURNS = {
  sender: "Your turn: say where the target is, without having seen it.",
  receiver: "Your turn: use the message to find the target.",
};

/** Say whose turn it is or how the episode ended. */
function showVerdict() {
  const { episode, role, choice, agentChoice, own } = game;
  const over = choice !== null;
  const right = choice === episode.targetIndex;
  const [target, chosen, agents] = [episode.targetIndex, choice, agentChoice].map((index) => episode.candidates[index]);
  const who = role === "receiver" ? "You choose" : "The receiver chooses";
  const end = right ? "Right: both agents earn 1." : `Wrong, it is ${target}: both agents earn 0.`;
  const comparison = {
    receiver: `The pair's receiver chooses ${agents}.`,
    sender: `The pair's sender says ${spelled(own)}; with it, the receiver chooses ${agents}.`,
  };
  part("verdict").className = `verdict ${over ? (right ? "right-text" : "wrong-text") : ""}`;
  part("verdict").textContent = over ? `${who} ${chosen}. ${end}` : TURNS[role];
  part("comparison").textContent = (over && comparison[role]) || "";
}

/** Show the message and everything that follows from it: its reading, the probabilities and the account. */
function showMessage() {
  const { message, sent, choice, pair, slot } = game;
  const editable = !sent || choice !== null;
  const tried = sent && spelled(sent) !== spelled(message);
  [...part("message").children].forEach((cell, i) => {
    const symbol = message[i];
    cell.textContent = symbol ?? "";
    cell.className = `cell ${symbol === null ? "empty" : "symbol"}`;
    cell.disabled = !editable;
    cell.ariaPressed = `${editable && i === slot}`;
    cell.ariaLabel = `Slot ${i + 1}: ${symbol ?? "empty"}`;
  });
  [...part("symbols").children].forEach((button, symbol) => {
    button.ariaPressed = `${message[slot] === symbol}`;
  });
  const size = `${message.length} symbols out of ${pair.config.vocab_size}`;
  part("message-note").textContent = tried ? `changed; the sender sent ${spelled(sent)}` : size;
  part("back").hidden = !tried;
  part("send").disabled = message.includes(null);
  part("effect").textContent = "";
  showWords();
  if (choice !== null) showProbabilities();
}

/** Read the message in words; at the end, and to the sender, with what is not true. */
function showWords() {
  const { message, episode, role, choice, pair } = game;
  const words = part("words");
  words.replaceChildren(inWords(pair, message, role === "sender" || choice !== null ? episode.window : null));
  const legend = pair.dictionary && !message.includes(null) ? pair.dictionary.legend(message) : [];
  words.append(...legend.map(membersOf));
}

/** Return a line of a legend, such as "class B: 3, 7 or 12-15", as a name that opens to its members. */
function membersOf(line) {
  const [name, members] = line.split(/: (.*)/);
  return element("details", { class: "quiet" }, element("summary", {}, name), members);
}

/** Return a message in words; with a window, what is not true of it is marked. */
function inWords(pair, message, window) {
  if (!pair.dictionary) return "this pair has no dictionary";
  if (message.includes(null)) return "no message yet";
  const said = pair.dictionary.read(message, window ?? []);
  if (!said.length) return "the dictionary does not say";
  const texts = said.map(({ text, holds }) => (window && !holds ? `${text} (not so here)` : text));
  return texts.join(pair.dictionary.joint);
}

/** Show the receiver's probabilities after the message, and what the message says of each candidate. */
function showProbabilities() {
  const { pair, episode, message, sent, choice, role } = game;
  const shares = pair.probabilities(message, episode.sequence, episode.candidates);
  [...part("candidates").children].forEach((item, index) => {
    item.querySelector(".bar > span").style.width = percent(shares[index]);
    item.querySelector(".share").textContent = percent(shares[index]);
  });
  const chosen = largest(shares);
  part("effect").textContent = `With ${spelled(message)}, the receiver chooses ${episode.candidates[chosen]}.`;
  const lost = choice !== episode.targetIndex;
  const chooser = role === "receiver" ? "You" : "The receiver";
  part("account-title").textContent = lost ? "What went wrong" : "What the message tells";
  const why = lost ? whatWentWrong(weigh(pair, episode, sent), episode.targetIndex, choice, chooser) : "";
  part("wrong").textContent = why;
  const rows = weigh(pair, episode, message).map((each, index) => accountRow(each, index, shares[index]));
  part("rows").replaceChildren(...rows);
}

/** Return the row of a candidate: its neighbours, and what of the message is not true of it. */
function accountRow({ integer, window, said, fits }, index, share) {
  const cells = window.map((k) => (k === MASK ? pictureCell(integer) : pictureCell(k, "window")));
  const untrue = said.filter((each) => !each.holds).map((each) => each.text);
  const verdict = fits === null ? "" : fits ? "all of it is true" : `untrue: ${untrue.join("; ")}`;
  const target = index === game.episode.targetIndex ? element("span", { class: "quiet" }, " target") : null;
  return element("tr", {},
    element("th", { scope: "row" }, `${integer}`, target),
    element("td", {},
      element("span", { class: "cells small" }, cells),
      element("span", { class: fits ? "true" : "quiet" }, verdict)),
    element("td", { class: "number" }, percent(share)));
}

/** Offer what the dictionary can say of the window. */
function showSuggestions() {
  const { pair, role, choice, episode } = game;
  const speaking = role === "sender" && choice === null;
  const messages = (speaking && pair.dictionary?.suggest(episode.window)) || [];
  part("suggesting").hidden = messages.length === 0;
  const items = messages.map((message) => {
    const speak = () => {
      game.message = [...message];
      showMessage();
    };
    const words = [element("b", {}, spelled(message)), ` ${inWords(pair, message, null)}`];
    const legend = pair.dictionary.legend(message).map(membersOf);
    return element("li", {}, element("button", { type: "button", click: speak }, words), legend);
  });
  part("suggestions").replaceChildren(...items);
}

// --- What a person does ---------------------------------------------------------------------------------

/** End the episode, show it, and wait at the button for the next one. */
function finish(choice) {
  choose(choice);
  show();
  part("next").focus();
}

/** Go on to the next episode, and to what is to be done there. */
function goOn() {
  begin();
  part(game.role === "sender" ? "sender" : "sequence-card").scrollIntoView({ block: "nearest" });
  const first = { receiver: "candidates", sender: "symbols" }[game.role];
  if (first) part(first).querySelector("button").focus({ preventScroll: true });
}

/** Begin with a pair and a role: the seed's first episode, a new score, and buttons for symbols and slots. */
function enter() {
  game.random = seeded(seed);
  game.number = 0;
  game.pair = pairs[part("pairs").value];
  game.role = part("options").elements.role.value;
  game.score = { played: 0, won: 0, agent: 0 };
  const { vocab_size, message_length } = game.pair.config;
  const buttons = (count, act) =>
    Array.from({ length: count }, (_, i) =>
      element("button", { type: "button", class: "cell symbol", tabindex: `${i ? -1 : 0}`, click: () => act(i) }, `${i}`));
  part("symbols").replaceChildren(...buttons(vocab_size, pick));
  const slots = buttons(message_length, (slot) => {
    game.slot = slot;
    showMessage();
  });
  part("message").replaceChildren(...slots);
  begin();
}

/** Let arrow keys move among the buttons of a group, of which the tabulator key reaches one. */
function moveWithArrows(group) {
  group.addEventListener("keydown", (event) => {
    const buttons = [...group.querySelectorAll("button")];
    const here = buttons.indexOf(document.activeElement);
    const ends = { Home: -here, End: buttons.length - 1 - here };
    const steps = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1, ...ends };
    if (here < 0 || !(event.key in steps)) return;
    event.preventDefault();
    const next = buttons[(here + steps[event.key] + buttons.length) % buttons.length];
    buttons.forEach((button) => (button.tabIndex = button === next ? 0 : -1));
    next.focus();
  });
}

/** Unpack the pairs, and begin. */
async function start() {
  try {
    for (const packed of JSON.parse(data)) pairs.push(await Pair.unpack(packed));
  } catch (error) {
    part("verdict").textContent = `This browser cannot play (${error.message}).`;
    throw error;
  }
  part("pairs").append(...pairs.map((pair, i) => element("option", { value: `${i}` }, pair.name)));
  part("options").addEventListener("change", enter);
  part("options").addEventListener("submit", (event) => event.preventDefault());
  part("send").addEventListener("click", () => {
    send(game.message);
    finish(receiverChoice(game.sent));
  });
  part("back").addEventListener("click", () => {
    game.message = [...game.sent];
    showMessage();
    part("symbols").querySelector("button[tabindex='0']").focus();
  });
  part("next").addEventListener("click", goOn);
  ["symbols", "message"].forEach((name) => moveWithArrows(part(name)));
  enter();
}

start();

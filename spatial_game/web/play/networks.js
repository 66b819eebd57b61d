"use strict";
// A pair that plays: what gru.py, local.py, landmark.py and product.py of spatial_agents/networks compute, one episode at a time.
// Weights are stored in single precision. All sums are taken in double precision.

const sigmoid = (x) => 1 / (1 + Math.exp(-x));

/** Return the place of the largest number; of several, the first. */
function largest(numbers) {
  return numbers.reduce((best, x, i) => (x > numbers[best] ? i : best), 0);
}

/** Return the shares that a receiver gives to candidates with these logits. */
function softmax(logits) {
  const top = Math.max(...logits);
  const powers = logits.map((x) => Math.exp(x - top));
  const sum = powers.reduce((a, b) => a + b);
  return powers.map((x) => x / sum);
}

/** Return a one at a place, among zeros. */
function oneHot(place, size) {
  const vector = new Float64Array(size);
  vector[place] = 1;
  return vector;
}

/** Return the weights by name. `packed` holds their shapes, and the bytes of all of them in base64. */
function unpacked(packed) {
  const bytes = fromBase64(packed.weights);
  const weights = {};
  let start = 0;
  for (const [name, shape] of Object.entries(packed.shapes)) {
    const size = shape.reduce((a, b) => a * b, 1);
    weights[name] = Float64Array.from(new Float32Array(bytes.buffer, 4 * start, size));
    start += size;
  }
  return weights;
}

/** A linear layer: x becomes weight x + bias. */
class Linear {
  constructor(weight, bias) {
    Object.assign(this, { weight, bias, columns: weight.length / bias.length });
  }

  of(x) {
    const { weight, bias, columns } = this;
    const result = new Float64Array(bias.length);
    for (let row = 0, at = 0; row < result.length; row++) {
      let sum = bias[row];
      for (let column = 0; column < columns; column++, at++) sum += weight[at] * x[column];
      result[row] = sum;
    }
    return result;
  }
}

/** A GRU of one layer, with torch's weights: the gates are reset, update and new. */
class Gru {
  constructor(weights, name, suffix = "") {
    const weight = (kind) => weights[`${name}.${kind}${suffix}`];
    this.ofInput = new Linear(weight("weight_ih"), weight("bias_ih"));
    this.ofState = new Linear(weight("weight_hh"), weight("bias_hh"));
    this.size = this.ofState.columns;
  }

  /** Return the state after one more input. */
  step(input, state) {
    const [x, h, n] = [this.ofInput.of(input), this.ofState.of(state), this.size];
    return state.map((old, i) => {
      const reset = sigmoid(x[i] + h[i]);
      const update = sigmoid(x[n + i] + h[n + i]);
      const content = Math.tanh(x[2 * n + i] + reset * h[2 * n + i]);
      return content + update * (old - content);
    });
  }

  /** Return the state after several inputs, from a first state, by default zeros. */
  of(inputs, first = new Float64Array(this.size)) {
    return inputs.reduce((state, input) => this.step(input, state), first);
  }
}

/** Two linear layers, with a rectifier between them. */
class TwoLayers {
  constructor(first, second) {
    Object.assign(this, { first, second });
  }

  of(vectors) {
    const joined = vectors.flatMap((vector) => [...vector]);
    return this.second.of(this.first.of(joined).map((x) => Math.max(x, 0)));
  }
}

/** The sender and the receiver of landmark networks, and of product networks, which hear a message as a whole. */
class Landmark {
  constructor({ config, constants }, weights, linear, gru) {
    Object.assign(this, { config, sharp: constants.sharp });
    this.offsets = weights["sender.offsets.weight"];
    this.score = linear("sender.neighbour_to_score");
    this.symbols = linear("sender.landmark_to_symbols");
    if (!("receiver.message_to_offset.weight" in weights)) return;
    this.attention = weights["receiver.attention.weight"];
    this.whole = this.attention ? null : gru("receiver.message_gru");
    this.toOffset = linear("receiver.message_to_offset");
    this.toInteger = linear("receiver.message_to_integer");
  }

  /** Return the logits of each slot for a window. `vector` turns an integer into its vector. */
  logits(window, vector) {
    const mask = window.indexOf(MASK);
    const seen = [...window.keys()].filter((place) => window[place] >= 0);
    const neighbours = seen.map((place) => {
      const integer = vector(window[place]);
      const row = integer.length * this.offsetNumber(place, mask);
      return integer.map((x, i) => x + this.offsets[row + i]);
    });
    const shares = softmax(neighbours.map((each) => this.sharp * this.score.of(each)[0]));
    const landmark = neighbours[0].map((_, i) => neighbours.reduce((sum, each, n) => sum + shares[n] * each[i], 0));
    const all = this.symbols.of(landmark);
    const size = this.config.vocab_size;
    return Array.from({ length: this.config.message_length }, (_, slot) => all.subarray(slot * size, (slot + 1) * size));
  }

  /** Return the number, among the game's offsets, of the offset of one place of a window from the mask's. */
  offsetNumber(place, mask) {
    const reach = 2 * this.config.window_radius;
    let [number, target] = [0, 0];
    for (let scale = 1, axes = this.config.shape?.length ?? 1; axes > 0; axes--, scale *= 2 * reach + 1) {
      number += scale * ((place % (reach + 1)) - (mask % (reach + 1)) + reach);
      target += scale * reach;
      [place, mask] = [Math.floor(place / (reach + 1)), Math.floor(mask / (reach + 1))];
    }
    return number - (number > target);
  }

  /** Return a vector for what a message says, to be compared with what is near a candidate. */
  understand(symbols) {
    const state = this.whole?.of(symbols);
    const [forOffset, forInteger] = [0, 1].map((row) => state ?? this.heard(symbols, row));
    const offset = softmax([...this.toOffset.of(forOffset)].map((x) => this.sharp * x));
    const integer = [...this.toInteger.of(forInteger)];
    return offset.flatMap((share) => integer.map((x) => share * x));
  }

  /** Return the symbols with their weights for the offset (row 0) or for the integer (row 1). */
  heard(symbols, row) {
    const slots = symbols.length;
    const shares = softmax([...this.attention.subarray(row * slots, (row + 1) * slots)]);
    return symbols.flatMap((symbol, slot) => [...symbol.map((x) => slots * shares[slot] * x)]);
  }
}

/** A trained pair, or its sender, as `spatial_game/web/play/page.py` packs it. */
class Pair {
  static async unpack(packed) {
    const text = packed.dictionary && new TextDecoder().decode(await inflate(packed.dictionary));
    return new Pair(packed, text && new Dictionary(JSON.parse(text)));
  }

  constructor(packed, dictionary) {
    this.name = packed.name;
    this.config = packed.config;
    this.constants = packed.constants;
    this.dictionary = dictionary;
    const weights = unpacked(packed);
    const local = packed.network === "local";
    const linear = (name) => new Linear(weights[`${name}.weight`], weights[`${name}.bias`]);
    const gru = (name, suffix = "_l0") => new Gru(weights, name, suffix);
    const twoLayers = (first, second) => new TwoLayers(linear(first), linear(second));
    const vector = (name, lowest) => this.vectors(packed, weights[`${name}.inputs.table.weight`], lowest);
    this.sender = { vector: vector("sender", this.config.num_hidden ? HIDDEN : MASK) };
    const hears = Object.keys(weights).some((name) => name.startsWith("receiver."));
    if (["landmark", "product"].includes(packed.network)) {
      this.sender.landmark = new Landmark(packed, weights, linear, gru);
      if (hears) this.receiver = { vector: vector("receiver", this.constants.blank), landmark: this.sender.landmark };
      return;
    }
    Object.assign(this.sender, {
      window: local ? twoLayers("sender.window_to_wide", "sender.wide_to_state") : gru("sender.window_gru"),
      message: gru("sender.message_cell", ""),
      start: weights["sender.start"],
      symbolToHidden: linear("sender.symbol_to_hidden"),
      hiddenToSymbol: linear("sender.hidden_to_symbol"),
    });
    if (!hears) return;
    const own = local
      ? { around: twoLayers("receiver.around_to_wide", "receiver.wide_to_state") }
      : { sequence: gru("receiver.sequence_gru"), candidate: linear("receiver.candidate_to_hidden") };
    this.receiver = { vector: vector("receiver", local ? this.constants.blank : 0), message: gru("receiver.message_gru"), ...own };
  }

  /** Return the function that turns an integer, from `lowest` on, into the vector that enters a network. */
  vectors({ inputs, scaling: [centre, factor], config }, table, lowest) {
    const rows = config.num_integers - lowest;
    if (inputs === "scalars") return (integer) => Float64Array.of((integer - centre) * factor);
    if (inputs === "one-hot") return (integer) => oneHot(integer - lowest, rows);
    const width = table.length / rows;
    return (integer) => table.subarray((integer - lowest) * width, (integer - lowest + 1) * width);
  }

  /** Return the sender's message for a window: in each slot the symbol with the highest logit. */
  send(window) {
    const { vector, landmark, window: reader, message: cell, start, symbolToHidden, hiddenToSymbol } = this.sender;
    if (landmark) return landmark.logits(window, vector).map(largest);
    let state = reader.of(window.map(vector));
    let last = start;
    const message = [];
    while (message.length < this.config.message_length) {
      state = cell.step(last, state);
      message.push(largest(hiddenToSymbol.of(state)));
      last = symbolToHidden.of(oneHot(message.at(-1), this.config.vocab_size));
    }
    return message;
  }

  /** Return the receiver's probability of each candidate. */
  probabilities(message, sequence, candidates) {
    const { landmark, message: reader, sequence: ofSequence } = this.receiver;
    const heard = message.map((symbol) => oneHot(symbol, this.config.vocab_size));
    const told = landmark ? landmark.understand(heard) : reader.of(heard);
    const { state, offered } = ofSequence ? this.readOn(sequence, told) : this.lookAround(sequence, told);
    return softmax(candidates.map((integer) => offered(integer).reduce((sum, x, i) => sum + x * state[i], 0)));
  }

  /** Return what GRUs compare: the state after the sequence, and a vector for each candidate. */
  readOn(sequence, told) {
    const { vector, sequence: reader, candidate } = this.receiver;
    const offered = (integer) => candidate.of(vector(integer)).map((x) => Math.max(x, 0));
    return { state: reader.of(sequence.map(vector), told), offered };
  }

  /** Return what other networks compare: what the message told, and a vector for what is near a candidate. */
  lookAround(sequence, told) {
    const { vector, around } = this.receiver;
    const reach = 2 * this.config.window_radius;
    const steps = Array.from({ length: 2 * reach + 1 }, (_, i) => i - reach).filter((step) => step !== 0);
    const near = (place) => steps.map((step) => sequence[place + step] ?? this.constants.blank);
    const cells = (integer) => near(sequence.indexOf(integer)).map(vector);
    const joined = (vectors) => vectors.flatMap((each) => [...each]);
    return { state: told, offered: (integer) => (around ? around.of(cells(integer)) : joined(cells(integer))) };
  }

  /** Return the place of the candidate that the receiver chooses. */
  choose(message, sequence, candidates) {
    return largest(this.probabilities(message, sequence, candidates));
  }
}

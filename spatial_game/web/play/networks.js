"use strict";
// A pair of GRUs that plays: what spatial_agents/networks/gru.py computes, one episode at a time.
// Weights are stored in single precision. All sums are taken in double precision.

const MASK = -1;
const END = 0; // the symbol that ends a message, in pairs with an end symbol

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
  const bytes = Uint8Array.from(atob(packed.weights), (letter) => letter.charCodeAt(0));
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
  read(inputs, first = new Float64Array(this.size)) {
    return inputs.reduce((state, input) => this.step(input, state), first);
  }
}

/** A trained pair, as `spatial_game/web/play/page.py` packs it. */
class Pair {
  constructor(packed) {
    this.name = packed.name;
    this.config = packed.config;
    this.endSymbol = packed.end_symbol;
    this.dictionary = packed.dictionary && new Dictionary(packed.dictionary);
    const weights = unpacked(packed);
    const linear = (name) => new Linear(weights[`${name}.weight`], weights[`${name}.bias`]);
    this.sender = {
      vector: this.vectors(packed, weights["sender.inputs.table.weight"], MASK),
      window: new Gru(weights, "sender.window_gru", "_l0"),
      message: new Gru(weights, "sender.message_cell"),
      start: weights["sender.start"],
      symbolToHidden: linear("sender.symbol_to_hidden"),
      hiddenToSymbol: linear("sender.hidden_to_symbol"),
    };
    this.receiver = {
      vector: this.vectors(packed, weights["receiver.inputs.table.weight"], 0),
      message: new Gru(weights, "receiver.message_gru", "_l0"),
      sequence: new Gru(weights, "receiver.sequence_gru", "_l0"),
      candidate: linear("receiver.candidate_to_hidden"),
    };
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
    const { vector, window: gru, message: cell, start, symbolToHidden, hiddenToSymbol } = this.sender;
    let state = gru.read(window.map(vector));
    let last = start;
    const message = [];
    while (message.length < this.config.message_length) {
      state = cell.step(last, state);
      const ended = this.endSymbol && message.at(-1) === END;
      message.push(ended ? END : largest(hiddenToSymbol.of(state)));
      last = symbolToHidden.of(oneHot(message.at(-1), this.config.vocab_size));
    }
    return message;
  }

  /** Return the receiver's probability of each candidate. */
  probabilities(message, sequence, candidates) {
    const { vector, message: gru, sequence: reader, candidate } = this.receiver;
    const end = this.endSymbol ? message.indexOf(END) : -1;
    const heard = message.map((symbol, slot) => (end >= 0 && slot > end ? END : symbol));
    const told = gru.read(heard.map((symbol) => oneHot(symbol, this.config.vocab_size)));
    const state = reader.read(sequence.map(vector), told);
    const logits = candidates.map((integer) =>
      candidate.of(vector(integer)).reduce((sum, x, i) => sum + Math.max(x, 0) * state[i], 0),
    );
    return softmax(logits);
  }

  /** Return the place of the candidate that the receiver chooses. */
  choose(message, sequence, candidates) {
    return largest(this.probabilities(message, sequence, candidates));
  }
}

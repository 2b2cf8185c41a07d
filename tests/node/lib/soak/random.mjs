// Chance that can be repeated: the same seed gives the same choices.

/** A source of chance (mulberry32). */
export class Random {
  #state;

  constructor(seed) {
    this.seed = seed;
    this.#state = seed >>> 0;
  }

  /** A number from 0 up to, not with, 1. */
  next() {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number from `low` to `high`, both included. */
  between(low, high) {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  /** One of these. */
  pick(items) {
    return items[this.between(0, items.length - 1)];
  }

  /** True in so many of a hundred cases. */
  percent(share) {
    return this.next() * 100 < share;
  }
}

/** A seed that nobody has chosen. */
export const anySeed = () => Math.floor(Math.random() * 2 ** 32);

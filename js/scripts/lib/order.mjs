// The order of a module's functions. A compressor looks back 32 KB, so that functions that are alike
// should stand side by side. The optimiser can sort functions by name alone: here each is given its
// place as its name.

/** The bytes of one shingle: functions are alike that have many in common. */
const SHINGLE = 4;
/** A shingle that more functions have says nothing of them. */
const COMMON = 250;
/** How many functions back the next one is compared with. */
const BACK = 3;

const IMPORT = 2;
const CODE = 10;
/** Kinds of imports; globals and tags are a byte and a number, as a table's type is a byte before its limits. */
const [FUNCTION, TABLE, MEMORY] = [0, 1, 2];

/** The module with a name section after which its functions are to be sorted. */
export function withPlaces(module) {
  const { bodies, imported } = functions(module);
  const places = new Array(bodies.length);
  chain(bodies.map(shingles)).forEach((at, place) => (places[at] = place));
  return Buffer.concat([module, nameSection(places, imported)]);
}

/** Positions, each behind the one it is most like among those that are left. */
function chain(sets) {
  const holders = new Map();
  sets.forEach((set, at) => {
    for (const shingle of set) holders.get(shingle)?.push(at) ?? holders.set(shingle, [at]);
  });
  const left = new Set(sets.keys());
  const order = [];
  while (left.size > 0) {
    const shared = new Map();
    for (const at of order.slice(-BACK)) {
      for (const shingle of sets[at]) {
        const others = holders.get(shingle);
        if (others.length >= COMMON) continue;
        for (const other of others) if (left.has(other)) shared.set(other, (shared.get(other) ?? 0) + 1);
      }
    }
    let next = left.values().next().value;
    let best = 0;
    for (const [at, count] of shared) {
      const likeness = count / (20 + sets[at].size);
      if (likeness > best) [next, best] = [at, likeness];
    }
    left.delete(next);
    order.push(next);
  }
  return order;
}

function shingles(body) {
  const set = new Set();
  for (let at = 0; at + SHINGLE <= body.length; at++) set.add(body.readUIntLE(at, SHINGLE));
  return set;
}

/** The bodies of the functions that the module defines, and how many it imports. */
function functions(module) {
  const reader = new Reader(module);
  reader.at = 8;
  let bodies = [];
  let imported = 0;
  while (reader.at < module.length) {
    const id = reader.byte();
    const end = reader.number() + reader.at;
    if (id === IMPORT) imported = importedFunctions(reader);
    if (id === CODE) bodies = Array.from({ length: reader.number() }, () => reader.bytes(reader.number()));
    reader.at = end;
  }
  return { bodies, imported };
}

function importedFunctions(reader) {
  let count = 0;
  for (let left = reader.number(); left > 0; left--) {
    reader.bytes(reader.number());
    reader.bytes(reader.number());
    const kind = reader.byte();
    if (kind === FUNCTION) count += 1;
    else if (kind !== MEMORY) reader.byte();
    if (kind === TABLE || kind === MEMORY) limits(reader);
    else reader.number();
  }
  return count;
}

function limits(reader) {
  const bounded = reader.byte() & 1;
  reader.number();
  if (bounded) reader.number();
}

function nameSection(places, imported) {
  const width = String(places.length).length;
  const entries = places.map((place, at) => [...leb(imported + at), ...text(String(place).padStart(width, "0"))]);
  const names = [...leb(entries.length), ...entries.flat()];
  const content = [...text("name"), 1, ...leb(names.length), ...names];
  return Buffer.from([0, ...leb(content.length), ...content]);
}

const text = (characters) => [...leb(characters.length), ...Buffer.from(characters)];

function leb(number) {
  const bytes = [];
  for (; number > 127; number >>>= 7) bytes.push((number & 127) | 128);
  return [...bytes, number];
}

class Reader {
  at = 0;

  constructor(bytes) {
    this.source = bytes;
  }

  byte() {
    return this.source[this.at++];
  }

  number() {
    for (let number = 0, shift = 0; ; shift += 7) {
      const byte = this.byte();
      number += (byte & 127) * 2 ** shift;
      if (byte < 128) return number;
    }
  }

  bytes(length) {
    this.at += length;
    return this.source.subarray(this.at - length, this.at);
  }
}

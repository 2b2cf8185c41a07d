// How much memory the module has. It is seen when the package looks at it, so this must be loaded before that.

const { prototype } = WebAssembly.Memory;
const { get } = Object.getOwnPropertyDescriptor(prototype, "buffer");
let memory;

Object.defineProperty(prototype, "buffer", {
  configurable: true,
  get() {
    memory = this;
    return get.call(this);
  },
});

/** Its bytes. */
export const size = () => get.call(memory).byteLength;

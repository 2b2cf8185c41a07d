// What every `prelude` begins with that changes what the platform does.

/**
 * JavaScript for a `prelude`: `patch(object, name, around)` puts a function around a method of the object's class, once.
 * It is called with the original, bound to its object and arguments, and with the arguments.
 */
export const PATCH = `
  const patched = new Set();
  const patch = (object, name, around) => {
    const proto = Object.getPrototypeOf(object);
    if (patched.has(name)) return;
    patched.add(name);
    const original = proto[name];
    proto[name] = function (...args) {
      return around(() => original.apply(this, args), args);
    };
  };
`;

const { createHash } = require("node:crypto");

module.exports = function (bytes) {
  const name = `wasm_${createHash("sha1").update(bytes).digest("hex")}`;
  this.emitFile(`${name}.wasm`, bytes, null);
  return `export default ${name};`;
};
module.exports.raw = true;

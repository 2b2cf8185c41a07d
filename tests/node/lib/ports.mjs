// Ports of this machine, and what stands between a client and a server.

import net from "node:net";

/** A port on loopback that nobody has now. */
export async function freePort() {
  const server = net.createServer();
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address();
  await new Promise((done) => server.close(done));
  return port;
}

/** A connection's way to a server, which can be cut: `deaf()` lets nothing come back any more, `cut()` ends all connections. */
export async function startRelay(port) {
  const sockets = new Set();
  let isDeaf = false;
  const server = net.createServer((near) => {
    const far = net.connect(port, "127.0.0.1");
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on("error", () => {});
      socket.on("close", () => sockets.delete(socket));
    }
    near.on("data", (chunk) => far.write(chunk));
    far.on("data", (chunk) => isDeaf || near.write(chunk));
    near.on("close", () => far.end());
    far.on("close", () => near.destroy());
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return {
    port: server.address().port,
    deaf: () => (isDeaf = true),
    hear: () => (isDeaf = false),
    cut: () => sockets.forEach((socket) => socket.destroy()),
    stop: () => new Promise((done) => (server.close(done), sockets.forEach((socket) => socket.destroy()))),
  };
}

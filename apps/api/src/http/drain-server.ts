import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';

/** A load balancer may have sent one more request on a connection it believes idle. */
const IDLE_GRACE_MS = 1500;
const DRAIN_DEADLINE_MS = 10_000;
const CHECK_MS = 250;

/**
 * Stops accepting connections and resolves when the last one has ended: idle ones a moment later, since closing one
 * under a request that is on its way is an error at the client; after 10 s all of them.
 */
export async function drainServer(server: Server): Promise<void> {
  // http.Server's own close would end idle connections at once.
  const closed = new Promise<void>((resolve) => NetServer.prototype.close.call(server, () => resolve()));
  const beganAtMs = performance.now();
  const closingIdle = setInterval(() => {
    if (performance.now() - beganAtMs >= IDLE_GRACE_MS) server.closeIdleConnections();
  }, CHECK_MS);
  const closingAll = setTimeout(() => server.closeAllConnections(), DRAIN_DEADLINE_MS);
  await closed;
  clearInterval(closingIdle);
  clearTimeout(closingAll);
}

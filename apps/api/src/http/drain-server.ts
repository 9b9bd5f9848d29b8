import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { OpenConnections } from './open-connections.ts';

/** A load balancer may just have sent a request on a connection that seems idle here. */
const IDLE_AT_LEAST_MS = 1500;
const CHECK_MS = 250;
/** An iteration of the event loop that is this short had no connection left to accept. */
const QUIET_MS = 0.1;
const QUIET_WITHIN_MS = 500;

export type Drain = {
  /** Refuses new connections; every answer from now on ends its connection. */
  refuse(): Promise<void>;
  /** After `refuse`: resolves when the last connection has ended, idle ones after idleMs, all of them after allMs. */
  finish(times: { idleMs: number; allMs: number }): Promise<void>;
};

/** Lets a server end without an error for well-behaved clients. */
export function drainable(server: Server, connections: OpenConnections): Drain {
  let closed: Promise<void> = Promise.resolve();
  return {
    refuse: async () => {
      await quietMoment(server);
      server.prependListener('request', (_request, response) => response.setHeader('Connection', 'close'));
      // http.Server's own close would end idle connections at once.
      closed = new Promise((resolve) => NetServer.prototype.close.call(server, () => resolve()));
      for (const { response } of connections.all()) {
        if (response?.headersSent === false) response.setHeader('Connection', 'close');
      }
    },
    finish: async ({ idleMs, allMs }) => {
      const beganAtMs = performance.now();
      const closingIdle = setInterval(() => {
        if (performance.now() - beganAtMs >= Math.max(idleMs, IDLE_AT_LEAST_MS)) server.closeIdleConnections();
      }, CHECK_MS);
      const closingAll = setTimeout(() => server.closeAllConnections(), allMs);
      await closed;
      clearInterval(closingIdle);
      clearTimeout(closingAll);
    },
  };
}

/** Closing a listener resets connections that only the kernel has accepted; resolves when there are none. */
async function quietMoment(server: Server): Promise<void> {
  let accepted = 0;
  const count = () => {
    accepted += 1;
  };
  server.on('connection', count);
  for (const endsAtMs = performance.now() + QUIET_WITHIN_MS; performance.now() < endsAtMs; ) {
    const [acceptedBefore, lookedAtMs] = [accepted, performance.now()];
    await nextTurn();
    if (accepted === acceptedBefore && performance.now() - lookedAtMs < QUIET_MS) break;
  }
  server.off('connection', count);
}

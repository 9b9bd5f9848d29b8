import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from '@flotilla/runtime/logger.ts';
import type { QuickCounter, QuickSeries } from '@flotilla/runtime/quick-series.ts';
import { throttledLog } from '@flotilla/runtime/throttled-log.ts';
import { networkOf } from './network-of.ts';

export type ConnectionLimits = {
  maxConnections: number;
  /** Of one address, an IPv6 /64 being one; 0 is no limit, also when absent. */
  maxPerAddress?: number;
  /** Load balancers, which bring the connections of all. */
  isTrusted?(address: string): boolean;
  refused?: QuickSeries<QuickCounter>;
  log: Logger;
};

/** Refuses connections that are too many, at once and without a word; the log says so at most every 10 s. */
export function limitConnections(server: Server, limits: ConnectionLimits): void {
  const { maxConnections, maxPerAddress = 0, isTrusted, refused, log } = limits;
  const warn = throttledLog((what: { limit: number; address?: string }, leftOut) =>
    log.warn({ ...what, leftOut }, 'the limit of connections is reached; a new one was refused'),
  );
  server.maxConnections = maxConnections;
  server.on('drop', () => {
    refused?.of('all').inc();
    warn({ limit: maxConnections });
  });
  if (maxPerAddress === 0) return;
  const open = new Map<string, number>();
  // Before the listeners that make a connection of HTTP of it.
  server.prependListener('connection', (socket: Socket) => {
    const address = socket.remoteAddress ?? '';
    if (isTrusted?.(address)) return;
    const network = networkOf(address);
    const count = open.get(network) ?? 0;
    if (count >= maxPerAddress) {
      refused?.of('address').inc();
      warn({ limit: maxPerAddress, address });
      socket.destroy();
      return;
    }
    open.set(network, count + 1);
    socket.once('close', () => {
      const left = (open.get(network) ?? 1) - 1;
      if (left === 0) open.delete(network);
      else open.set(network, left);
    });
  });
}

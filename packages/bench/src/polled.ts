import { readFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { handleRequest } from '@flotilla/simulator/http/handle-request.ts';
import type { Simulator } from '@flotilla/simulator/simulator.ts';
import { type Fleet, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { startTlsAuthority } from '@flotilla/testing/tls-authority.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { coresOf, type Part, partsOf, usageOf } from './process-usage.ts';
import { type Row, report } from './report.ts';

const BOTS = 2_000;
const ADDED_AT_ONCE = 5;
/** Longer than a poll: the first ones are brief. */
const SETTLED_MS = 45_000;
const MEASURED_S = 60;
const OPEN_WITHIN_MS = 180_000;

/** The cost of bots that are polled and get no updates: over plain HTTP, and over TLS as at the platform. */
export async function benchPolled(database: { url: string; rows?: number }): Promise<void> {
  const count = database.rows ?? BOTS;
  const settings = { LOG_LEVEL: 'warn', WORKER_ROLES: 'polling', POLLING_CONCURRENCY: '20000' };
  const fleet = await startFleet({ apis: 1, workers: 1 }, settings, database);
  const overTls = await startTlsPlatform(fleet.simulator.state);
  try {
    await pause(SETTLED_MS);
    const empty = (await measuredParts(fleet)).map(memoryOf);
    await fleet.workers.pop()!.stop();
    for (let at = 0; at < count; at += ADDED_AT_ONCE) {
      await Promise.all(Array.from({ length: Math.min(ADDED_AT_ONCE, count - at) }, () => fleet.addBot()));
    }
    const rows: Row[] = [];
    for (const [way, worker] of Object.entries({ 'plain HTTP': {}, TLS: overTls.settings })) {
      rows.push(...(await measure(fleet, { way, worker, count, empty })));
    }
    rows.push({ what: 'TLS: connections in all', figure: overTls.handshakes() });
    report(`${count.toLocaleString('en')} bots that are polled and get no updates, one worker`, rows);
  } finally {
    await fleet.stop();
    await overTls.stop();
  }
}

type Measurement = { way: string; worker: Record<string, string>; count: number; empty: number[] };

async function measure(fleet: Fleet, { way, worker, count, empty }: Measurement): Promise<Row[]> {
  await fleet.start('worker', worker);
  const isPolled = () => openPolls(fleet.simulator.state) === count;
  await waitFor(isPolled, { timeoutMs: OPEN_WITHIN_MS, message: `${count} polls` });
  const parts = await measuredParts(fleet);
  const opened = parts.map((part) => usageOf(part).cpuSeconds);
  await pause(SETTLED_MS);
  const cores = await coresOf(parts, MEASURED_S, async () => {});
  const memory = parts.map(memoryOf);
  await fleet.workers.pop()!.stop();
  return parts.map(({ name }, at) => ({
    what: `${way}: ${name}`,
    figure: [
      `${(((memory[at]! - empty[at]!) * 1024) / count).toFixed(0)} KB a bot (${memory[at]!.toFixed(0)} MB in all)`,
      `${((cores[at]! * 1000) / count).toFixed(4)} cores for 1,000 bots`,
      ...(name.startsWith('worker') ? [`${opened[at]!.toFixed(1)} s of a core until all are polled`] : []),
    ].join(', '),
  }));
}

const memoryOf = (part: Part): number => usageOf(part).memoryMb;

async function measuredParts(fleet: Fleet): Promise<Part[]> {
  return (await partsOf(fleet)).filter(({ name }) => /^(worker|Redis)/.test(name));
}

function openPolls({ bots }: Simulator): number {
  return [...bots.values()].filter(({ waiter }) => waiter !== null).length;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** The simulated platform once more, behind TLS, with the settings of a worker that polls there. */
async function startTlsPlatform(state: Simulator) {
  const { caFile, certFile, keyFile } = await (await startTlsAuthority()).issueByChain('DNS:localhost');
  const [cert, key] = await Promise.all([readFile(certFile), readFile(keyFile)]);
  const server = createServer({ cert, key, keepAliveTimeout: 500_000 }, (request, response) => {
    handleRequest(state, request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const handshakes = { all: 0, resumed: 0 };
  server.on('secureConnection', (socket) => {
    handshakes.all += 1;
    if (socket.isSessionReused()) handshakes.resumed += 1;
  });
  return {
    handshakes: () => `${handshakes.all} handshakes, ${handshakes.resumed} of them resumed a session`,
    settings: { TELEGRAM_API_URL: `https://localhost:${port}`, NODE_EXTRA_CA_CERTS: caFile },
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

import { lookup } from 'node:dns/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { handleRequest } from './http/handle-request.ts';
import { type SimClock, simClock } from './sim-clock.ts';
import {
  DEFAULT_SETTINGS,
  newSimulator,
  type ResolveHost,
  type Simulator,
  type SimulatorSettings,
  serverBeside,
} from './simulator.ts';

export type SimulatorOptions = {
  /** 0 takes any free port. */
  port?: number;
  host?: string;
  settings?: Partial<SimulatorSettings>;
  clock?: SimClock;
  /** Another server of the same bots, people and chats. Stop this one before that one. */
  beside?: RunningSimulator;
  /** The folder for state that survives a restart; without it everything stays in memory. */
  dataDir?: string | undefined;
  /** Defaults to the system's resolver. */
  resolveHost?: ResolveHost;
  log?: { info(fields: object, message: string): void; error(fields: object, message: string): void };
};

export type RunningSimulator = { url: string; port: number; state: Simulator; stop(): Promise<void> };

const MAX_HEADER_BYTES = 256 * 1024;
const IDLE_CONNECTION_MS = 500_000;

/** Starts the simulated platform; throws when the port is taken. */
export async function startSimulator(options: SimulatorOptions = {}): Promise<RunningSimulator> {
  const host = options.host ?? '127.0.0.1';
  const resolveHost: ResolveHost = options.resolveHost ?? ((name) => lookup(name, { all: true }));
  const settings = { ...DEFAULT_SETTINGS, ...options.settings };
  const { beside } = options;
  const state = beside
    ? serverBeside(beside.state, settings)
    : newSimulator(settings, options.clock ?? simClock(), resolveHost);
  if (options.dataDir !== undefined) await keepIn(state, options.dataDir, options.log);
  const server = createServer(
    { maxHeaderSize: MAX_HEADER_BYTES, keepAliveTimeout: IDLE_CONNECTION_MS, requestTimeout: 0, headersTimeout: 0 },
    (req, res) => {
      res.sendDate = false;
      handleRequest(state, req, res).catch((error: unknown) => {
        options.log?.error({ err: error }, 'a request failed');
        if (res.headersSent) res.destroy();
        else res.writeHead(500, { Connection: 'close', 'Content-Length': '0' }).end();
      });
    },
  );
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, host, resolve);
  }).catch((error: unknown) => {
    if (!beside) state.storage.close();
    throw error;
  });
  const { port } = server.address() as AddressInfo;
  const shownHost = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  options.log?.info({ port }, 'the simulator listens');
  return {
    url: `http://${shownHost}:${port}`,
    port,
    state,
    stop: () => (beside ? closeServer(server) : stop(state, server)),
  };
}

/** Imported on demand, because tests without storage need no SQLite. */
async function keepIn(state: Simulator, dir: string, log: SimulatorOptions['log']): Promise<void> {
  const { openStorage } = await import('./storage/open-storage.ts');
  openStorage(state, dir, (error) => log?.error({ err: error }, 'a change could not be stored'));
}

async function stop(state: Simulator, server: ReturnType<typeof createServer>): Promise<void> {
  for (const bot of state.bots.values()) {
    bot.webhook?.stop();
    bot.waiter?.answer([]);
  }
  state.clock.stop();
  await closeServer(server);
  state.storage.close();
}

async function closeServer(server: ReturnType<typeof createServer>): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  setImmediate(() => server.closeAllConnections());
  await closed;
}

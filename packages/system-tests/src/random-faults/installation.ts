import { randomBytes } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { connectDatabase, type Database } from '@flotilla/database/connect.ts';
import { migrateToLatest } from '@flotilla/database/migrate.ts';
import { freePort } from '@flotilla/embedded/free-port.ts';
import { startGuarded } from '@flotilla/embedded/guarded-process.ts';
import { type EmbeddedPostgres, startPostgres } from '@flotilla/embedded/start-postgres.ts';
import { type EmbeddedRedis, startRedis } from '@flotilla/embedded/start-redis.ts';
import { inheritedEnv } from '@flotilla/runtime/env.ts';
import { programEntry } from '@flotilla/runtime/program-entry.ts';
import { type ControlClient, controlClient } from '@flotilla/simulator/control-client.ts';
import { startBalancer } from '@flotilla/testing/fleet/balancer.ts';
import { type FleetProcess, launchProcess } from '@flotilla/testing/fleet/fleet-process.ts';
import { startTcpRelay, type TcpRelay } from '@flotilla/testing/tcp-relay.ts';
import { throwAwayDir } from '@flotilla/testing/throw-away-dir.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';

export const ADMIN_KEY = 'flt_random-faults-admin-key-0123456789';
const STARTED_WITHIN_MS = 120_000;
const STARTED_ANEW_WITHIN_MS = 30_000;

/** One run of an api or worker, from its start to its kill -9, if any. */
export type Life = {
  process: FleetProcess;
  startedAtMs: number;
  killedAtMs: number | null;
};

/** A part that faults can kill, restart or pause. */
export type Part = {
  name: string;
  kind: 'api' | 'worker' | 'redis' | 'postgres' | 'platform';
  /** The process and its children. */
  pids(): Promise<number[]>;
  /** kill -9. */
  kill(): Promise<void>;
  start(): Promise<void>;
};

export type ServicePart = Part & { lives: Life[] };

/** A connection between two parts, through a relay. */
export type Link = { name: string; to: 'redis' | 'postgres' | 'platform' | 'backend' | 'api'; relay: TcpRelay };

/** A whole installation with its own processes and stores; every connection between two parts goes through a relay. */
export type Installation = {
  apis: ServicePart[];
  workers: ServicePart[];
  /** All parts that can be killed, including the apis and workers. */
  parts: Part[];
  links: Link[];
  /** The URL of each api, through the relay in front of it. */
  apiUrls: string[];
  control: ControlClient;
  /** Connects without a relay. Rejects while Postgres is away. */
  withDatabase<T>(work: (db: Database) => Promise<T>): Promise<T>;
  rest<T>(path: string, body?: object): Promise<T>;
  /** Adds a relay in front of another service. */
  link(name: string, to: Link['to'], port: () => number): Promise<TcpRelay>;
  stop(): Promise<void>;
};

const WORKERS = ['polling,history', 'push,rules,outbox', 'polling,push,rules,outbox,history,upkeep'];

export async function startInstallation(): Promise<Installation> {
  const cleanUp = new AsyncDisposableStack();
  try {
    return await startParts(cleanUp);
  } catch (error) {
    await cleanUp.disposeAsync();
    throw error;
  }
}

async function startParts(cleanUp: AsyncDisposableStack): Promise<Installation> {
  const [redis, postgres, platform] = [
    await redisPart(cleanUp),
    await postgresPart(cleanUp),
    await platformPart(cleanUp),
  ];
  const links: Link[] = [];
  const link = async (name: string, to: Link['to'], port: () => number): Promise<TcpRelay> => {
    const relay = cleanUp.adopt(await startTcpRelay(port), (started) => started.stop());
    links.push({ name, to, relay });
    return relay;
  };
  const apis: ServicePart[] = [];
  const workers: ServicePart[] = [];
  const portOf = (part: ServicePart): number => part.lives.at(-1)!.process.port;
  const balancer = cleanUp.adopt(await startBalancer(() => apis.map(portOf)), (started) => started.stop());
  const common = {
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    BACKEND_ALLOWED_CIDRS: '127.0.0.0/8',
    PUBLIC_URL: balancer.url,
    ADMIN_API_KEY: ADMIN_KEY,
    ADMIN_PASSWORD: 'a password for tests',
    LOG_LEVEL: 'info',
    BALANCER_NOTICE_SECONDS: '0',
  };
  const service = async (name: string, role: 'api' | 'worker', own: Record<string, string>): Promise<ServicePart> => {
    const way = async (to: 'redis' | 'postgres' | 'platform', port: () => number) =>
      String((await link(`${name} to ${to}`, to, port)).port);
    const settings = {
      ...common,
      ...own,
      REDIS_URL: withPort(redis.url, await way('redis', redis.port)),
      DATABASE_URL: withPort(postgres.url(), await way('postgres', postgres.port)),
      TELEGRAM_API_URL: `http://127.0.0.1:${await way('platform', platform.port)}`,
    };
    return servicePart(name, role, settings);
  };
  for (let at = 1; at <= 2; at += 1) apis.push(await service(`api ${at}`, 'api', {}));
  for (const [at, roles] of WORKERS.entries()) {
    workers.push(await service(`worker ${at + 1} (${roles})`, 'worker', { WORKER_ROLES: roles }));
  }
  const services = [...apis, ...workers];
  cleanUp.defer(async () => {
    await Promise.all(services.map((part) => part.lives.at(-1)?.process.stop()));
  });
  await Promise.all(services.map((part) => part.start()));
  await untilReady(services, STARTED_WITHIN_MS);
  const apiUrls: string[] = [];
  for (const api of apis) {
    const front = await link(`clients to ${api.name}`, 'api', () => portOf(api));
    apiUrls.push(`http://127.0.0.1:${front.port}`);
  }
  return {
    apis,
    workers,
    parts: [...services, redis, postgres, platform],
    links,
    apiUrls,
    control: controlClient(`http://127.0.0.1:${platform.port()}`),
    withDatabase: async (work) => {
      const db = connectDatabase({ url: postgres.url(), maxConnections: 2, queryTimeoutMs: null });
      return work(db).finally(() => db.destroy());
    },
    rest: async <T>(path: string, body?: object) => {
      const response = await fetch(`${balancer.url}${path}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers: { authorization: `Bearer ${ADMIN_KEY}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text}`);
      return JSON.parse(text) as T;
    },
    link,
    stop: () => cleanUp.disposeAsync(),
  };
}

/** Resolves when every process reports that it is ready and that no store is away. */
export async function untilReady(services: ServicePart[], timeoutMs: number): Promise<void> {
  const unready = new Set(services);
  const check = async () => {
    for (const part of unready) {
      const { metricsPort } = part.lives.at(-1)!.process;
      const probe = fetch(`http://127.0.0.1:${metricsPort}/readyz`, { signal: AbortSignal.timeout(2_000) });
      const response = await probe.catch(() => null);
      if (response?.ok && !/does not answer/.test(await response.text())) unready.delete(part);
    }
    return unready.size === 0;
  };
  await waitFor(check, { timeoutMs, message: 'every process to be ready' }).catch((error: unknown) => {
    throw new Error(`Not ready: ${[...unready].map(({ name }) => name).join(', ')}`, { cause: error });
  });
}

function servicePart(name: string, role: 'api' | 'worker', settings: Record<string, string>): ServicePart {
  const lives: Life[] = [];
  return {
    name,
    kind: role,
    lives,
    pids: async () => [lives.at(-1)!.process.pid],
    kill: async () => {
      const life = lives.at(-1)!;
      life.killedAtMs = Date.now();
      await life.process.kill();
    },
    start: async () => {
      lives.push({ process: await launchProcess(role, settings), startedAtMs: Date.now(), killedAtMs: null });
    },
  };
}

async function redisPart(cleanUp: AsyncDisposableStack): Promise<Part & { url: string; port(): number }> {
  const dataDir = await throwAwayDir();
  cleanUp.defer(() => rm(dataDir, { recursive: true, force: true }));
  let redis: EmbeddedRedis = await startRedis({ dataDir, throwAway: true });
  const { url, port } = redis;
  cleanUp.defer(() => redis.stop());
  return {
    name: 'redis',
    kind: 'redis',
    url,
    port: () => port,
    pids: async () => [redis.pid],
    kill: async () => {
      redis.kill();
      await redis.exited;
    },
    start: async () => {
      redis = await startRedis({ dataDir, throwAway: true, port });
    },
  };
}

async function postgresPart(cleanUp: AsyncDisposableStack): Promise<Part & { url(): string; port(): number }> {
  const dataDir = await throwAwayDir();
  cleanUp.defer(() => rm(dataDir, { recursive: true, force: true }));
  // Durable, as in production: with `throwAway` a kill -9 would lose acknowledged commits.
  const start = () => startPostgres({ dataDir });
  let postgres: EmbeddedPostgres = await start();
  cleanUp.defer(() => postgres.stop());
  const db = connectDatabase({ url: postgres.url, maxConnections: 1, queryTimeoutMs: null });
  await migrateToLatest(db);
  await db.destroy();
  return {
    name: 'postgres',
    kind: 'postgres',
    url: () => postgres.url,
    port: () => postgres.port,
    pids: async () => [postgres.pid, ...(await childrenOf(postgres.pid))],
    kill: async () => {
      postgres.kill();
      await postgres.exited;
    },
    start: async () => {
      // Server processes of the killed Postgres need a moment to notice its end, and hold its memory until then.
      postgres = await waitFor(start, { timeoutMs: STARTED_ANEW_WITHIN_MS, message: 'Postgres to start anew' });
    },
  };
}

async function platformPart(cleanUp: AsyncDisposableStack): Promise<Part & { port(): number }> {
  const dataDir = await throwAwayDir();
  cleanUp.defer(() => rm(dataDir, { recursive: true, force: true }));
  const port = await freePort();
  const start = async () => {
    const started = await startGuarded({
      command: process.execPath,
      args: [programEntry('simulator')],
      env: { PATH: inheritedEnv().PATH, HOST: '127.0.0.1', PORT: String(port), SIMULATOR_DATA_DIR: dataDir },
      user: null,
      stopSignal: 'SIGTERM',
    });
    await started.waitForOutput('the simulator listens');
    return started;
  };
  let simulator = await start();
  cleanUp.defer(() => simulator.stop());
  return {
    name: 'platform',
    kind: 'platform',
    port: () => port,
    pids: async () => [simulator.pid],
    kill: async () => {
      simulator.kill();
      await simulator.exited;
    },
    start: async () => {
      simulator = await start();
    },
  };
}

/** Linux only. */
async function childrenOf(pid: number): Promise<number[]> {
  const text = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return text.split(' ').filter(Boolean).map(Number);
}

function withPort(url: string, port: string): string {
  return Object.assign(new URL(url), { port }).href;
}

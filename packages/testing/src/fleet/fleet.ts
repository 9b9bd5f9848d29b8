import { randomBytes } from 'node:crypto';
import { type ControlClient, controlClient } from '@flotilla/simulator/control-client.ts';
import { type RunningSimulator, startSimulator } from '@flotilla/simulator/start.ts';
import { testDatabase } from '../postgres.ts';
import { startRedisOfForm } from '../redis-of-form.ts';
import { startBalancer } from './balancer.ts';
import { type FleetProcess, type ProcessCode, startProcess } from './fleet-process.ts';

/** A bot of the fleet: our id, and the platform's data about it. */
export type FleetBot = { id: number; token: string; platformId: number; username: string };

/** The whole service as processes, with a simulated platform. */
export type Fleet = {
  /** The address of the load balancer in front of all api processes. */
  url: string;
  apis: FleetProcess[];
  workers: FleetProcess[];
  simulator: RunningSimulator;
  control: ControlClient;
  database: { url: string };
  redis: { url: string; port: number };
  /** Starts one more process, as an operator does to scale or to replace one. */
  start(
    role: 'api' | 'worker',
    settings?: Record<string, string>,
    port?: number,
    code?: ProcessCode,
  ): Promise<FleetProcess>;
  /** Calls the REST API as the admin; returns the body of a success, else throws an Error with the response. */
  rest<T = unknown>(path: string, body?: object): Promise<T>;
  addBot(fields?: Record<string, unknown>, platform?: Record<string, unknown>): Promise<FleetBot>;
  stop(): Promise<void>;
};

export const FLEET_ENCRYPTION_KEY = randomBytes(32).toString('base64');
export const ADMIN_KEY = 'flt_system-tests-admin-key-0123456789';

/** Starts a simulator and this many api and worker processes, on the given or a new database and Redis. */
export async function startFleet(
  size: { apis: number; workers: number } = { apis: 2, workers: 2 },
  settings: Record<string, string> = {},
  ownDatabase?: { url: string },
  ownRedis?: { url: string; port: number },
): Promise<Fleet> {
  const parts = new AsyncDisposableStack();
  try {
    return await startParts(parts, size, settings, ownDatabase, ownRedis);
  } catch (error) {
    // End the parts that run when a later part cannot start: a test must leave nothing behind.
    await parts.disposeAsync();
    throw error;
  }
}

async function startParts(
  parts: AsyncDisposableStack,
  size: { apis: number; workers: number },
  settings: Record<string, string>,
  ownDatabase?: { url: string },
  ownRedis?: { url: string; port: number },
): Promise<Fleet> {
  const database = ownDatabase ?? parts.adopt(await testDatabase(), (made) => made.drop());
  const redis = ownRedis ?? parts.adopt(await startRedisOfForm(), (started) => started.stop());
  const simulator = parts.adopt(await startSimulator(), (started) => started.stop());
  const control = controlClient(simulator.url);
  const environment = {
    DATABASE_URL: database.url,
    REDIS_URL: redis.url,
    TELEGRAM_API_URL: simulator.url,
    ENCRYPTION_KEY: FLEET_ENCRYPTION_KEY,
    BACKEND_ALLOWED_CIDRS: '127.0.0.0/8',
    ADMIN_API_KEY: ADMIN_KEY,
    ADMIN_PASSWORD: 'a password for tests',
    LOG_LEVEL: 'info',
    BALANCER_NOTICE_SECONDS: '0',
    ...settings,
  };
  const apis: FleetProcess[] = [];
  const workers: FleetProcess[] = [];
  const start: Fleet['start'] = async (role, extra = {}, port, code) => {
    const process = await startProcess(role, { ...environment, ...extra }, port, code);
    (role === 'api' ? apis : workers).push(process);
    return process;
  };
  const balancer = parts.adopt(await startBalancer(() => apis.map((api) => api.port)), (started) => started.stop());
  parts.defer(() => endAll([...apis, ...workers]));
  await allStarted([
    ...Array.from({ length: size.apis }, () => start('api')),
    ...Array.from({ length: size.workers }, () => start('worker')),
  ]);
  const rest = async <T>(path: string, body?: object): Promise<T> => {
    const response = await fetch(`${balancer.url}${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        authorization: `Bearer ${ADMIN_KEY}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text}`);
    return JSON.parse(text) as T;
  };
  let made = 0;
  return {
    url: balancer.url,
    apis,
    workers,
    simulator,
    control,
    database,
    redis,
    start,
    rest,
    addBot: async (fields = {}, platform = {}) => {
      made += 1;
      const known = await control.createBot({ name: `Bot ${made}`, username: `fleet_${made}_bot`, ...platform });
      const { id } = await rest<{ id: number }>('/api/bots/add', { token: known.token, ...fields });
      return { id, token: known.token, platformId: known.id, username: known.username };
    },
    stop: () => parts.disposeAsync(),
  };
}

/** Waits until every start has ended, then throws the first error, if any. */
async function allStarted(starting: Promise<FleetProcess>[]): Promise<void> {
  await Promise.allSettled(starting);
  await Promise.all(starting);
}

async function endAll(processes: FleetProcess[]): Promise<void> {
  await Promise.all(processes.map((process) => process.stop()));
}

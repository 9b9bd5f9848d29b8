import { randomBytes } from 'node:crypto';
import { type ApiConfig, readConfig } from '@flotilla/api/config.ts';
import { type RunningApi, startApi } from '@flotilla/api/start.ts';
import type { BotResource } from '@flotilla/contract/bots.ts';
import { createLogger } from '@flotilla/runtime/logger.ts';
import { type ControlClient, controlClient } from '@flotilla/simulator/control-client.ts';
import { startSimulator } from '@flotilla/simulator/start.ts';
import { afterAll, beforeAll, expect } from '@jest/globals';
import { type TestDatabase, testDatabase } from './postgres.ts';
import { type RedisOfForm, startRedisOfForm } from './redis-of-form.ts';
import { type RestClient, restClient } from './rest-client.ts';

export const ADMIN_KEY = 'flt_test_admin_key_of_this_run';
export const ADMIN_PASSWORD = 'admin-password-for-tests';
/** Random, because the settings refuse a key with a pattern. */
export const TEST_ENCRYPTION_KEY = randomBytes(32).toString('base64');

export interface TestApi extends RunningApi {
  url: string;
  database: TestDatabase;
  /** A Redis of the form that TEST_REDIS names. */
  redis: RedisOfForm;
  /** The simulated platform. */
  platform: ControlClient;
  platformUrl: string;
  /** The settings of the api, as an environment. */
  env: Record<string, string>;
  /** All log lines. */
  logLines: string[];
  /** A REST client with the admin's key. */
  admin: RestClient;
  /** Creates a bot at the platform and registers it. */
  addBot(settings?: object): Promise<BotResource>;
  /** Registers a clean-up that runs before the api and its stores stop. */
  endBefore(end: () => Promise<unknown>): void;
  /** Starts another api on the same Postgres, Redis and platform. */
  startPod(settings?: Record<string, string>, config?: Partial<ApiConfig>): Promise<RunningApi & { url: string }>;
}

/** One api for all tests of a file: it starts before the first and ends after the last. */
export function testApi(settings: Record<string, string> = {}): TestApi {
  const api = {} as TestApi;
  beforeAll(async () => {
    Object.assign(api, await startTestApi(settings));
  }, 60_000);
  afterAll(async () => {
    await api.stop?.();
  });
  return api;
}

/** Starts an api in this process with its own Postgres, Redis and simulated platform; stop() ends all of them. */
export async function startTestApi(
  settings: Record<string, string> = {},
  config: Partial<ApiConfig> = {},
): Promise<TestApi> {
  const [database, redis, simulator] = await Promise.all([testDatabase(), startRedisOfForm(), startSimulator()]);
  const logLines: string[] = [];
  const log = createLogger({ name: 'api', level: 'debug', destination: { write: (line) => logLines.push(line) } });
  const env = {
    DATABASE_URL: database.url,
    REDIS_URL: redis.url,
    TELEGRAM_API_URL: simulator.url,
    ENCRYPTION_KEY: TEST_ENCRYPTION_KEY,
    BACKEND_ALLOWED_CIDRS: '127.0.0.0/8',
    HOST: '127.0.0.1',
    PORT: '0',
    METRICS_PORT: '0',
    BALANCER_NOTICE_SECONDS: '0',
    ADMIN_PASSWORD,
    ADMIN_API_KEY: ADMIN_KEY,
    ...settings,
  };
  const pods: RunningApi[] = [];
  const ends: (() => Promise<unknown>)[] = [];
  const startPod = async (others: Record<string, string> = {}, otherConfig: Partial<ApiConfig> = {}) => {
    const pod = await startApi({ ...readConfig({ ...env, ...others }), ...config, ...otherConfig }, log);
    pods.push(pod);
    return { ...pod, url: `http://127.0.0.1:${pod.port}` };
  };
  const first = await startPod();
  const platform = controlClient(simulator.url);
  const admin = restClient(first.url, ADMIN_KEY);
  return {
    ...first,
    database,
    redis,
    logLines,
    env,
    platform,
    admin,
    addBot: async (fields = {}) => {
      const { token } = await platform.createBot({});
      const added = await admin('POST', '/api/bots/add', { body: { token, ...fields } });
      expect(added.status).toBe(200);
      return added.json as BotResource;
    },
    platformUrl: simulator.url,
    startPod,
    endBefore: (end) => ends.push(end),
    stop: async () => {
      for (const end of ends.reverse()) await end();
      await Promise.all(pods.map((pod) => pod.stop()));
      await Promise.all([redis.stop(), database.drop(), simulator.stop()]);
    },
  };
}

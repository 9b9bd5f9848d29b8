import { readConfig } from '@flotilla/api/config.ts';
import { type RunningApi, startApi } from '@flotilla/api/start.ts';
import { createLogger } from '@flotilla/runtime/logger.ts';
import { type ControlClient, controlClient } from '@flotilla/simulator/control-client.ts';
import { startSimulator } from '@flotilla/simulator/start.ts';
import { type TestDatabase, testDatabase } from './postgres.ts';
import { startTestRedis, type TestRedis } from './redis.ts';

export const ADMIN_KEY = 'flt_test_admin_key_of_this_run';
export const ADMIN_PASSWORD = 'admin-password-for-tests';

export interface TestApi extends RunningApi {
  url: string;
  database: TestDatabase;
  redis: TestRedis;
  /** The simulated platform. */
  platform: ControlClient;
  platformUrl: string;
  /** The settings it runs with, as an environment. */
  env: Record<string, string>;
  /** Everything that was logged, one line each. */
  logLines: string[];
  /** Starts another pod over the same Postgres, Redis and platform. */
  startPod(settings?: Record<string, string>): Promise<RunningApi & { url: string }>;
}

/** One api in this process over a Postgres, a Redis and a simulated platform of its own; stop() ends all of them. */
export async function startTestApi(settings: Record<string, string> = {}): Promise<TestApi> {
  const [database, redis, simulator] = await Promise.all([testDatabase(), startTestRedis(), startSimulator()]);
  const logLines: string[] = [];
  const log = createLogger({ name: 'api', level: 'debug', destination: { write: (line) => logLines.push(line) } });
  const env = {
    DATABASE_URL: database.url,
    REDIS_URL: redis.url,
    TELEGRAM_API_URL: simulator.url,
    ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
    BACKEND_ALLOWED_CIDRS: '127.0.0.0/8',
    HOST: '127.0.0.1',
    PORT: '0',
    METRICS_PORT: '0',
    ADMIN_PASSWORD,
    ADMIN_API_KEY: ADMIN_KEY,
    ...settings,
  };
  const pods: RunningApi[] = [];
  const startPod = async (others: Record<string, string> = {}) => {
    const pod = await startApi(readConfig({ ...env, ...others }), log);
    pods.push(pod);
    return { ...pod, url: `http://127.0.0.1:${pod.port}` };
  };
  const first = await startPod();
  return {
    ...first,
    database,
    redis,
    logLines,
    env,
    platform: controlClient(simulator.url),
    platformUrl: simulator.url,
    startPod,
    stop: async () => {
      await Promise.all(pods.map((pod) => pod.stop()));
      await Promise.all([redis.stop(), database.drop(), simulator.stop()]);
    },
  };
}

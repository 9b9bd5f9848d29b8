import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { freePort } from '@flotilla/embedded/free-port.ts';
import { inheritedEnv } from '@flotilla/runtime/env.ts';
import { FLEET_ENCRYPTION_KEY } from '@flotilla/testing/fleet/fleet.ts';
import { type TestDatabase, testDatabase } from '@flotilla/testing/postgres.ts';
import { startTestRedis, type TestRedis } from '@flotilla/testing/redis.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { afterAll, beforeAll, expect, test } from '@jest/globals';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

let database: TestDatabase;
let redis: TestRedis;

beforeAll(async () => {
  [database, redis] = [await testDatabase(), await startTestRedis()];
}, 60_000);
afterAll(async () => {
  await redis.stop();
  await database.drop();
});

test.each(['api', 'worker'] as const)(
  'npm run start:%s takes its process along when it is told to stop, and ends after it',
  async (role) => {
    const [port, metricsPort] = [await freePort(), await freePort()];
    const npm = spawn('npm', ['run', '--silent', `start:${role}`], {
      cwd: ROOT,
      env: {
        ...inheritedEnv(),
        DATABASE_URL: database.url,
        REDIS_URL: redis.url,
        ENCRYPTION_KEY: FLEET_ENCRYPTION_KEY,
        HOST: '127.0.0.1',
        PORT: String(port),
        METRICS_PORT: String(metricsPort),
        BALANCER_NOTICE_SECONDS: '0',
      },
      stdio: 'ignore',
      detached: true,
    });
    const ended = new Promise<number | null>((resolve) => npm.once('close', resolve));
    const probe = () => fetch(`http://127.0.0.1:${metricsPort}/readyz`).catch(() => null);
    try {
      await waitFor(async () => (await probe())?.ok, { timeoutMs: 60_000, message: 'a ready process' });
      npm.kill('SIGTERM');
      expect(await ended).toBe(0);
      expect(await probe()).toBeNull();
    } finally {
      endGroup(npm.pid!);
    }
  },
  120_000,
);

/** Kills the processes that npm left behind. */
function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // No process is left.
  }
}

import { setTimeout as delay } from 'node:timers/promises';
import type { Redis } from 'ioredis';

const PING_EVERY_MS = 5000;
const PING_DEADLINE_MS = 2000;

/** Drops connections that no longer answer, although nobody closed them; their owners open new ones. */
export function disconnectWhenSilent(connections: () => Redis[]): { stop(): void } {
  const pinging = setInterval(() => {
    for (const redis of connections()) if (redis.status === 'ready') void pingOnce(redis);
  }, PING_EVERY_MS);
  pinging.unref();
  return { stop: () => clearInterval(pinging) };
}

async function pingOnce(redis: Redis): Promise<void> {
  const answered = redis.ping().then(
    () => true,
    // An error reply is an answer too; a timeout is not.
    (error: Error) => error.message !== 'Command timed out',
  );
  const silent = delay(PING_DEADLINE_MS, false, { ref: false });
  if (!(await Promise.race([answered, silent])) && redis.status === 'ready') redis.disconnect(true);
}

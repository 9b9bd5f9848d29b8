import type { RedisHandles } from './connect.ts';

/** True once in `forMs` for a key, whichever process asks. Rejects when Redis does not answer. */
export async function allowOnce(
  { commands }: Pick<RedisHandles, 'commands'>,
  key: string,
  forMs: number,
): Promise<boolean> {
  return (await commands.set(key, '1', 'PX', forMs, 'NX')) === 'OK';
}

/** Does the work once in `forMs` for a key, whichever process asks. If it fails, the next one may do it. */
export async function doOnce(
  redis: Pick<RedisHandles, 'commands'>,
  key: string,
  forMs: number,
  work: () => Promise<unknown>,
): Promise<void> {
  if (!(await allowOnce(redis, key, forMs))) return;
  try {
    await work();
  } catch (error) {
    await redis.commands.del(key);
    throw error;
  }
}

import type { RedisHandles } from './connect.ts';

/** True once in `forMs` for a key, whichever process asks. Rejects when Redis does not answer. */
export async function allowOnce(
  { commands }: Pick<RedisHandles, 'commands'>,
  key: string,
  forMs: number,
): Promise<boolean> {
  return (await commands.set(key, '1', 'PX', forMs, 'NX')) === 'OK';
}

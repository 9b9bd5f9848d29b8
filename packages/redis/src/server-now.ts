import type { RedisHandles } from './connect.ts';

/** The time (ms) by the clock of Redis, by which scripts write times. */
export async function serverNowMs({ commands }: Pick<RedisHandles, 'commands'>): Promise<number> {
  const [seconds, microseconds] = (await commands.time()).map(Number) as [number, number];
  return seconds * 1000 + Math.floor(microseconds / 1000);
}

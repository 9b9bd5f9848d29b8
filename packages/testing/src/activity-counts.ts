import { activityPrefixes, HOUR_MS } from '@flotilla/redis/keys.ts';
import type { Redis } from 'ioredis';

const MINUTE_MS = 60_000;

/** The five counts of the minute of `atMs`, as scripts/lib/activity.lua numbers them. */
function fieldsAt(atMs: number): number[] {
  const minute = Math.floor((atMs % HOUR_MS) / MINUTE_MS);
  return [0, 1, 2, 3, 4].map((place) => minute * 5 + place);
}

/** The hashes that count what the bot and its shard do in the hour of `atMs`. */
export function activityKeys(botId: number, atMs: number): string[] {
  const hour = Math.floor(atMs / HOUR_MS);
  return Object.values(activityPrefixes(botId)).map((prefix) => `${prefix}${hour}`);
}

/** Stores counts as the scripts do: in, delivered, failed, retried and calls, '2 1 0 0 0'. */
export async function storeCounts(commands: Pick<Redis, 'hset'>, key: string, atMs: number, counts: string) {
  const numbers = counts.split(' ');
  const fields = fieldsAt(atMs).map((field, place) => [field, numbers[place]!] as const);
  await commands.hset(key, Object.fromEntries(fields.filter(([, count]) => count !== '0')));
}

/** The counts that are stored of a minute, in the same form. */
export async function storedCounts(commands: Pick<Redis, 'hmget'>, key: string, atMs: number): Promise<string> {
  const counts = await commands.hmget(key, ...fieldsAt(atMs).map(String));
  return counts.map((count) => count ?? '0').join(' ');
}

/** The counts of all minutes together; their keys begin so. */
export async function countsOf(commands: Pick<Redis, 'hgetall' | 'keys'>, prefix: string): Promise<string> {
  const sums = [0, 0, 0, 0, 0];
  for (const key of await commands.keys(`${prefix}*`)) {
    for (const [field, count] of Object.entries(await commands.hgetall(key))) sums[Number(field) % 5]! += Number(count);
  }
  return sums.join(' ');
}

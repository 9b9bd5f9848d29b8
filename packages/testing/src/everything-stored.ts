import type { Database } from '@flotilla/database/connect.ts';
import type { Redis } from 'ioredis';
import { sql } from 'kysely';

type Commands = Pick<Redis, 'keys' | 'type' | 'get' | 'hgetall' | 'lrange' | 'smembers' | 'zrange' | 'xrange'>;

/** Returns every Redis key with its value, of any type, as one text. */
export async function everythingInRedis(redis: Commands): Promise<string> {
  const found: unknown[] = [];
  for (const key of await redis.keys('*')) {
    const readers: Record<string, () => Promise<unknown>> = {
      string: () => redis.get(key),
      hash: () => redis.hgetall(key),
      list: () => redis.lrange(key, 0, -1),
      set: () => redis.smembers(key),
      zset: () => redis.zrange(key, '0', '-1'),
      stream: () => redis.xrange(key, '-', '+'),
    };
    found.push(key, await readers[await redis.type(key)]?.());
  }
  return JSON.stringify(found);
}

/** Returns every row of every table as one text. */
export async function everythingInPostgres(db: Database): Promise<string> {
  const tables = await sql<{
    name: string;
  }>`select tablename as name from pg_tables where schemaname = 'public'`.execute(db);
  const rows = await Promise.all(tables.rows.map(({ name }) => sql`select * from ${sql.table(name)}`.execute(db)));
  return JSON.stringify(rows.map((result) => result.rows));
}

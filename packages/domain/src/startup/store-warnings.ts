import type { Database } from '@flotilla/database/connect.ts';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { answersWithin } from '@flotilla/runtime/process-metrics.ts';
import { sql } from 'kysely';

/** Well below the 2 s after which a load balancer takes silence for a refusal. */
const ANSWER_WITHIN_MS = 1000;

/** Says which stores do not answer now. Never rejects. */
export function storeWarnings({ db, redis }: { db: Database; redis: RedisHandles }): () => Promise<string[]> {
  const stores = [
    { name: 'Redis', ask: oneAtATime(() => redis.commands.ping()) },
    { name: 'Postgres', ask: oneAtATime(() => sql`select 1`.execute(db)) },
  ];
  return async () => {
    const answers = await Promise.all(stores.map(({ ask }) => answersWithin(ask, ANSWER_WITHIN_MS)));
    return stores.flatMap(({ name }, at) => (answers[at] ? [] : [`${name} does not answer`]));
  };
}

/** Postgres takes 4 s to fail, so that questions of several probes would fill its pool. */
function oneAtATime(ask: () => Promise<unknown>): () => Promise<unknown> {
  let asked: Promise<unknown> | null = null;
  return () => {
    asked ??= ask().finally(() => {
      asked = null;
    });
    return asked;
  };
}

import type { Database } from '@flotilla/database/connect.ts';
import { freshLinkKey } from '@flotilla/redis/call-keys.ts';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import type { RouteLink, SeenMessage } from '../../records/history/route-links.ts';
import { routeLinkStore } from './route-link-store.ts';

type LinkDeps = { db: Database; redis: RedisHandles };

const FRESH_FOR_S = 3600;

/** Makes links readable at once, because they reach Postgres later, through the history stream. */
export async function keepFreshLinks({ redis }: { redis: RedisHandles }, links: RouteLink[]): Promise<void> {
  if (links.length === 0) return;
  await redis.runMany(
    links.map(({ source, target }) => ['set', keyOf(target), JSON.stringify(source), 'EX', FRESH_FOR_S]),
  );
}

/** The source of a message, and the messages made from it. Rejects when Postgres is unavailable. */
export async function findCounterparts(
  { db, redis }: LinkDeps,
  seen: SeenMessage,
): Promise<{ source: SeenMessage | null; targets: SeenMessage[] }> {
  const fresh = await redis.commands.get(keyOf(seen));
  const store = routeLinkStore(db);
  const source = fresh === null ? await store.sourceOf(seen) : (JSON.parse(fresh) as SeenMessage);
  return { source, targets: await store.targetsOf(seen) };
}

function keyOf({ botId, businessConnectionId, chatId, messageId }: SeenMessage): string {
  return freshLinkKey(botId, businessConnectionId, chatId, messageId);
}

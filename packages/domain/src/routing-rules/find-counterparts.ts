import type { Database } from '@flotilla/database/connect.ts';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { freshLinkKey } from '@flotilla/redis/keys.ts';
import type { MessagePlace, RouteLink } from '../history/route-link.ts';
import { routeLinkStore } from './route-link-store.ts';

type LinkDeps = { db: Database; redis: RedisHandles };

const FRESH_FOR_S = 3600;

/** Makes links readable at once; they reach Postgres by way of the history stream. */
export async function keepFreshLinks({ redis }: { redis: RedisHandles }, links: RouteLink[]): Promise<void> {
  if (links.length === 0) return;
  await redis.runMany(
    links.map(({ source, target }) => ['set', keyOf(target), JSON.stringify(source), 'EX', FRESH_FOR_S]),
  );
}

/** What a message was made from, and what was made from it. Rejects when Postgres is away. */
export async function findCounterparts(
  { db, redis }: LinkDeps,
  place: MessagePlace,
): Promise<{ source: MessagePlace | null; targets: MessagePlace[] }> {
  const fresh = await redis.commands.get(keyOf(place));
  const store = routeLinkStore(db);
  const source = fresh === null ? await store.sourceOf(place) : (JSON.parse(fresh) as MessagePlace);
  return { source, targets: await store.targetsOf(place) };
}

function keyOf({ botId, businessConnectionId, chatId, messageId }: MessagePlace): string {
  return freshLinkKey(botId, businessConnectionId, chatId, messageId);
}

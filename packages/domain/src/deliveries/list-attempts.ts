import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys } from '@flotilla/redis/keys.ts';
import type { Bot } from '../bots/bot.ts';
import type { Attempt } from '../push/claim-for-push.ts';
import type { KeptExcerpt } from '../push/keep-excerpts.ts';
import { type ShownRequest, shownRequest } from '../push/shown-request.ts';
import { signDelivery } from '../push/sign-delivery.ts';

export type ListedAttempt = Attempt & {
  id: string;
  /** Null when the bot's settings have changed since: the request is told by them, and is not stored. */
  request: ShownRequest | null;
  excerpt: KeptExcerpt | null;
};

/** The last 100 attempts to deliver an update of this bot, newest first. */
export async function listAttempts(deps: { redis: RedisHandles }, bot: Bot): Promise<ListedAttempt[]> {
  const keys = botKeys(bot.id);
  const [attempts, excerpts] = (await deps.redis.runMany([
    ['lrange', keys.attempts, 0, -1],
    ['lrange', keys.excerpts, 0, -1],
  ])) as [string[], string[]];
  const excerptOf = new Map(excerpts.map((text) => JSON.parse(text) as KeptExcerpt).map((kept) => [idOf(kept), kept]));
  return attempts.map((text) => {
    const attempt = JSON.parse(text) as Attempt;
    const id = idOf(attempt);
    const isCurrent = attempt.revision === bot.revision;
    const headers = { ...signatureHeaders(bot, attempt), 'Flotilla-Delivery-Id': `${bot.id}-${attempt.update_id}` };
    const request = isCurrent ? shownRequest(bot, headers) : null;
    return { ...attempt, id, request, excerpt: excerptOf.get(id) ?? null };
  });
}

/** What signed the attempt; the signature itself is not kept, and is shown masked. */
function signatureHeaders(bot: Bot, { at, update_id: updateId }: Attempt): Record<string, string> {
  return signDelivery(bot.signing, { id: `upd_${bot.id}_${updateId}`, atMs: Date.parse(at), body: '' }) ?? {};
}

/** An update is not sent twice in one millisecond. */
function idOf({ at, update_id: updateId }: Pick<Attempt, 'at' | 'update_id'>): string {
  return `${updateId}-${Date.parse(at)}`;
}

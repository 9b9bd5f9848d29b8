import type { Database } from '@flotilla/database/connect.ts';
import { allowOnce } from '@flotilla/redis/allow-once.ts';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys, eventKeys } from '@flotilla/redis/keys.ts';
import type { BotDirectory } from '../../fleet/bots/bot-directory.ts';
import { NOW, patchBotState } from '../../fleet/bots/patch-bot-state.ts';
import { outboxUpkeepStore } from './upkeep-store.ts';

export type HeldDeps = { db: Database; redis: RedisHandles; directory: BotDirectory };

/** Keeps in the state of each bot how many of its entries are held, for its attention. One process at a time. */
export async function noteHeld(deps: HeldDeps, everyMs: number): Promise<void> {
  const { db, redis, directory } = deps;
  if (!(await allowOnce(redis, eventKeys.lookAtHeld, everyMs))) return;
  const held = await outboxUpkeepStore(db).heldByBot();
  const bots = directory.all();
  const known = await redis.runMany(bots.map(({ id }) => ['hget', botKeys(id).state, 'heldSends']));
  for (const [at, bot] of bots.entries()) {
    const [before, now] = [Number(known[at] ?? 0), held.get(bot.id) ?? 0];
    if (before === now) continue;
    await patchBotState(deps, bot, { heldSends: now, ...(before === 0 ? { sendsHeldSince: NOW } : {}) });
  }
}

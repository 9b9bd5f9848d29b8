import { PRIORITIES } from '@flotilla/contract/outbox.ts';
import type { Bot } from '../../fleet/bots/bot.ts';
import { NOW, patchBotState } from '../../fleet/bots/patch-bot-state.ts';
import { LOOK } from './lanes.ts';
import type { OutboxTurn, OutboxTurnDeps } from './turn-deps.ts';
import { outboxTurnStore } from './turn-store.ts';

/** Other processes count their calls for the outbox while it says so. */
const ANNOUNCED_EVERY_MS = 3_000;
/** In case news was lost. */
const LOOK_AGAIN_MS = 5_000;
const LOOK_EVERY_MS = 25;
const QUEUED_AT_ONCE = 1_000;

/** All times are as of performance.now(). */
export type Found = {
  /** When the next scheduled entry is due; infinity: none is scheduled. */
  scheduledMs: number;
  /** When to look again. */
  lookMs: number;
};

/** Reads what waits when there is news, when little is known, and once in a while. */
export function entryFinder(deps: OutboxTurnDeps, turn: OutboxTurn): (bot: Bot) => Promise<Found> {
  const { bot_id, lanes } = turn;
  const store = outboxTurnStore(deps.db);
  let announcedMs = Number.NEGATIVE_INFINITY;
  let lookedMs = Number.NEGATIVE_INFINITY;
  let againMs = Number.NEGATIVE_INFINITY;
  let scheduledMs = Number.POSITIVE_INFINITY;

  const announce = async (bot: Bot, nowMs: number): Promise<void> => {
    if (nowMs - announcedMs < ANNOUNCED_EVERY_MS) return;
    await patchBotState(deps, bot, { outboxAt: NOW });
    announcedMs = nowMs;
  };
  const queueDue = async (nowMs: number): Promise<void> => {
    const { count, nextMs } = await store.queueDue(bot_id, QUEUED_AT_ONCE);
    scheduledMs = count === QUEUED_AT_ONCE ? nowMs : nowMs + (nextMs ?? Number.POSITIVE_INFINITY);
    if (count > 0) lanes.lookAgain();
  };

  return async (bot) => {
    const nowMs = performance.now();
    await announce(bot, nowMs);
    const mayBeNew = turn.isNews || nowMs >= againMs;
    if (mayBeNew) lanes.lookAgain();
    const isDue = mayBeNew || nowMs >= scheduledMs;
    if (!isDue && lanes.isEnough()) return { scheduledMs, lookMs: againMs };
    if (nowMs - lookedMs < LOOK_EVERY_MS) return { scheduledMs, lookMs: lookedMs + LOOK_EVERY_MS };
    lookedMs = nowMs;
    if (mayBeNew) {
      turn.isNews = false;
      againMs = nowMs + LOOK_AGAIN_MS;
    }
    if (isDue) await queueDue(nowMs);
    for (const priority of PRIORITIES) {
      const look = lanes.wants(priority);
      if (look === null) continue;
      const found = await store.firstOfChats(bot_id, priority, { aboveChat: look.aboveChat, ...LOOK });
      lanes.add(priority, look, found, new Set(found.map(({ chat_id }) => chat_id)).size < LOOK.chats);
    }
    const isKnown = lanes.isEnough() && !turn.isNews;
    return { scheduledMs, lookMs: isKnown ? againMs : lookedMs + LOOK_EVERY_MS };
  };
}

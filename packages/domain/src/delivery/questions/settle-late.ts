import type { BotDirectory } from '../../fleet/bots/bot-directory.ts';
import { questionStore } from './question-store.ts';
import { showEnd } from './show-end.ts';
import { type AnswerDeps, announceSettled } from './take-answer.ts';

const AT_ONCE = 100;
/** Whoever settled a question shows it within this time, unless it was killed or the platform was away. */
const SHOWN_WITHIN_S = 10;
const KEPT_DAYS = 90;

/** Lets questions expire, and shows ends that nobody has shown. Removes old questions. */
export async function settleLate(deps: AnswerDeps & { directory: BotDirectory }, signal: AbortSignal): Promise<void> {
  const store = questionStore(deps.db);
  for (const id of await store.late(AT_ONCE)) {
    const expired = await store.expire(id);
    const bot = expired === null ? undefined : deps.directory.byId(expired.bot_id);
    if (expired === null || bot === undefined) continue;
    await announceSettled(deps.redis, expired);
    if (!bot.disabled) await showEnd(deps, bot, expired);
    if (signal.aborted) return;
  }
  for (const question of await store.unshown(SHOWN_WITHIN_S, AT_ONCE)) {
    const bot = deps.directory.byId(question.bot_id);
    if (bot !== undefined && !bot.disabled) await showEnd(deps, bot, question);
    if (signal.aborted) return;
  }
  await store.removeSettled(KEPT_DAYS, AT_ONCE);
}

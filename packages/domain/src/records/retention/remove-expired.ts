import { EVENT_DAYS } from '@flotilla/contract/events.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import { type DateCursor, removalStore } from './removal-store.ts';
import { STEP_ROWS, type StepDeps, takeSteps } from './take-steps.ts';

export interface RetentionDays {
  /** 0 keeps everything. */
  messages: number;
  audit: number;
}

const DAY_MS = 86_400_000;
/** For how long the hours of the activity are kept. */
export const ACTIVITY_DAYS = 90;
const CHATS_A_STEP = 500;

type ChatOfBot = { botId: number; chatId: number };

/**
 * Removes messages, audit entries and hours of activity that are older than their retention, in small steps, and
 * corrects the chats' counts. Returns 'done' when everything was checked.
 */
export async function removeExpired(
  deps: StepDeps & { clock: Clock },
  days: RetentionDays,
): Promise<'done' | 'elsewhere' | 'aborted'> {
  const before = (kept: number) => Math.floor((deps.clock.nowMs() - kept * DAY_MS) / 1000);
  const outcome = await removeActivity(deps, deps.clock.nowMs() - ACTIVITY_DAYS * DAY_MS);
  if (outcome !== 'done') return outcome;
  await removalStore(deps.db).removeEventsBefore(new Date(deps.clock.nowMs() - EVENT_DAYS * DAY_MS));
  if (days.audit > 0) {
    const outcome = await removeAudits(deps, before(days.audit));
    if (outcome !== 'done') return outcome;
  }
  return days.messages > 0 ? removeMessages(deps, before(days.messages)) : 'done';
}

function removeActivity(deps: StepDeps, beforeMs: number) {
  const rows = deps.stepRows ?? STEP_ROWS;
  return takeSteps(deps, async (transaction) =>
    (await removalStore(transaction).removeActivityBefore(beforeMs, rows)) < rows ? 'done' : 'more',
  );
}

function removeAudits(deps: StepDeps, beforeDate: number) {
  const rows = deps.stepRows ?? STEP_ROWS;
  return takeSteps(deps, async (transaction) =>
    (await removalStore(transaction).removeAuditsBefore(beforeDate, rows)) < rows ? 'done' : 'more',
  );
}

// Chat by chat, because the index orders messages by date within a chat. Most chats need a single look.
function removeMessages(deps: StepDeps, beforeDate: number) {
  const rows = deps.stepRows ?? STEP_ROWS;
  const expired: ChatOfBot[] = [];
  let lastChat: ChatOfBot | null = null;
  let from: DateCursor | null = null;
  return takeSteps(deps, async (transaction) => {
    const store = removalStore(transaction);
    const [chat] = expired;
    if (chat === undefined) {
      const chats = await store.chatsAfter(lastChat, beforeDate, CHATS_A_STEP);
      lastChat = chats.at(-1) ?? null;
      expired.push(...chats.filter((found) => found.expired));
      return lastChat === null ? 'done' : 'more';
    }
    const { shown, last } = await store.removeMessagesBefore(chat, beforeDate, from, rows);
    if (shown > 0) await store.subtractCount(chat, shown);
    from = last;
    if (last === null) expired.shift();
    return 'more';
  });
}

import { randomUUID } from 'node:crypto';
import type { FailedDestination } from '@flotilla/contract/deliveries.ts';
import type { Database } from '@flotilla/database/connect.ts';
import type { RedisHandles } from '@flotilla/redis/connect.ts';
import { botKeys } from '@flotilla/redis/keys.ts';
import { runScript } from '@flotilla/redis/scripts.ts';
import type { TurnQueue } from '@flotilla/redis/turn-queue.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import { readObject } from '@flotilla/telegram/platform-fields.ts';
import { sliceUpdate } from '@flotilla/telegram/slice-updates.ts';
import { readUpdateFacts } from '@flotilla/telegram/update-facts.ts';
import type { Actor } from '../audit/actor.ts';
import { recordAction } from '../audit/record-action.ts';
import { requireAuditable } from '../audit/require-auditable.ts';
import type { Bot } from '../bots/bot.ts';
import { type DeadLetter, deadLetterStore } from './dead-letter-store.ts';

type Reader = 'push' | 'rules';
type RedriveDeps = {
  db: Database;
  redis: RedisHandles;
  turns: { push: TurnQueue; rules: TurnQueue };
  clock: Clock;
};

const READERS = ['push', 'rules'] as const;
const BATCH = 200;
/** A redriven update lives as long as a new one of the longest-lived kind. */
const LIFE_MS = 86_400_000;

/**
 * Puts dead letters of push and rules (all, or those named) back into their lanes, behind the waiting updates and in
 * the order of their updates. What fails again becomes a dead letter again. Returns how many it put back. Throws
 * FlotillaError('bad_request') when none can be sent because the reader is off. A crash half-way sends some twice and
 * loses none.
 */
export async function redriveDeliveries(deps: RedriveDeps, by: Actor, bot: Bot, ids?: number[]): Promise<number> {
  const details = ids === undefined ? 'all dead letters' : `dead letters ${ids.join(', ')}`;
  const auditKey = `redrive:${randomUUID()}`;
  const audit = (db: Database) =>
    recordAction({ ...deps, db }, by, { action: 'redrive', botId: bot.id, details }, auditKey);
  let redriven = 0;
  let refusal: string | null = null;
  for (const reader of READERS) {
    const outcome = await redriveOf({ ...deps, audit }, reader, bot, ids);
    redriven += outcome.redriven;
    if (outcome.off) refusal = reader === 'push' ? 'The bot has no backend to send to' : 'The bot has no rules to run';
  }
  if (redriven === 0 && refusal !== null) throw new FlotillaError('bad_request', refusal);
  return redriven;
}

/** `audit` adds the entry of this redrive once, however often it is called. */
type AuditedDeps = RedriveDeps & { audit: (db: Database) => Promise<void> };

async function redriveOf(
  deps: AuditedDeps,
  reader: Reader,
  bot: Bot,
  ids: number[] | undefined,
): Promise<{ redriven: number; off: boolean }> {
  const store = deadLetterStore(deps.db);
  let redriven = 0;
  let after = { updateId: -1, id: 0 };
  while (true) {
    const letters = await store.nextOf(reader, bot.id, after, BATCH, ids);
    const last = letters.at(-1);
    if (!last) return { redriven, off: false };
    if (!(await redriveBatch(deps, reader, bot, letters))) return { redriven, off: true };
    redriven += letters.length;
    after = { updateId: last.update_id, id: last.id };
  }
}

/** False when the reader is off. */
async function redriveBatch(deps: AuditedDeps, reader: Reader, bot: Bot, letters: DeadLetter[]): Promise<boolean> {
  return deps.db.transaction().execute(async (transaction) => {
    await requireAuditable(transaction);
    if (!(await putBack(deps, reader, bot, letters))) return false;
    await deps.audit(transaction);
    await deadLetterStore(transaction).remove(letters.map((letter) => letter.id));
    return true;
  });
}

/** False when the reader is off. */
async function putBack(deps: RedriveDeps, reader: Reader, bot: Bot, letters: DeadLetter[]): Promise<boolean> {
  const keys = botKeys(bot.id);
  const nowMs = deps.clock.nowMs();
  const [lanes, lanePrefix, redriven] =
    reader === 'push'
      ? [keys.lanes, keys.lane(''), keys.redriven]
      : [keys.rulesLanes, keys.rulesLane(''), keys.rulesRedriven];
  const [status] = await runScript(
    deps.redis.commands,
    'redrive',
    [keys.state, lanes, redriven, keys.pendingTurns, keys.rulesWork],
    [
      bot.registrationId,
      nowMs,
      bot.id,
      lanePrefix,
      nowMs + LIFE_MS,
      reader,
      ...letters.flatMap((letter) => letterArguments(reader, letter, nowMs)),
    ],
  );
  if (status === 'OFF') return false;
  if (status !== 'OK') throw new FlotillaError('not_found', 'Bot not found');
  await deps.turns[reader].wake(bot.id);
  return true;
}

function letterArguments(reader: Reader, letter: DeadLetter, nowMs: number): (string | number)[] {
  const update = sliceUpdate(letter.payload)?.value ?? {};
  const { kind, lane } = readUpdateFacts(update, nowMs);
  const common = [letter.id, letter.update_id, kind, lane, letter.payload];
  if (reader === 'push') return [...common, '', ''];
  const album = readObject(update, kind)?.media_group_id ?? '';
  return [...common, JSON.stringify(progressOf(letter)), String(album)];
}

/** A dead letter of rules names its failed destinations. Without names, the update goes to all of them. */
function progressOf({ destinations }: DeadLetter): { only?: string[]; to: object } {
  if (destinations === null) return { to: {} };
  return { only: (JSON.parse(destinations) as FailedDestination[]).map(({ name }) => name), to: {} };
}

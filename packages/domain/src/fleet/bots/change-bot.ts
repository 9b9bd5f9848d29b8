import type { AuditAction } from '@flotilla/contract/audit-actions.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import { accountStore } from '../../people/accounts/account-store.ts';
import { changeCredentials } from '../../people/accounts/change-credentials.ts';
import { leftByLabels } from '../../people/accounts/left-behind.ts';
import type { Actor } from '../../people/audit/actor.ts';
import { recordAction } from '../../people/audit/record-action.ts';
import { describeBotChanges } from './audited-bot.ts';
import { type Bot, type BotChanges, polls, programPushes, pushes, routes, sendsWaiting } from './bot.ts';
import type { BotDeps } from './bot-deps.ts';
import { mirrorBot } from './bot-mirror.ts';
import { columnsOf, openBot } from './bot-row.ts';
import { type BotRow, botStore } from './bot-store.ts';
import { publishBoundChats } from './bound-chats.ts';
import type { CursorChange, Dropped } from './cursor-change.ts';
import { nameKinds } from './named-kinds.ts';
import { republishBots } from './republish-bots.ts';

/**
 * Further effects of a change, its reason if the actor did not ask for it, and its name in the audit log. `check` refuses what the
 * change would meet.
 */
export type ChangeOptions = CursorChange & Dropped & { reason?: string; action?: AuditAction; check?: BotCheck };
export type BotCheck = ((before: Bot) => void) | undefined;

/**
 * Stores changes of a bot with their audit entry, updates its state in Redis, notifies every process and wakes the
 * bot's turns. Throws FlotillaError('not_found') when the bot is gone, 'conflict' when the new token is registered
 * already.
 */
export async function changeBot(
  deps: BotDeps,
  by: Actor,
  botId: number,
  changes: BotChanges,
  options: ChangeOptions = {},
): Promise<Bot> {
  const store = () =>
    deps.db
      .transaction()
      .execute((transaction) => storeChanges({ ...deps, db: transaction }, by, botId, changes, options));
  // Accounts and keys may see bots by their labels.
  const { bot, cursor_changes: stored } = await (changes.labels === undefined
    ? store()
    : changeCredentials(deps, store));
  await publishBoundChats(deps, bot);
  const { waits, isOld } = await mirrorBot(deps, bot, { stored, drop: options });
  // Another change was faster. It has done what is stored, and does not know what is to be dropped.
  if (isOld && options.dropPending) await republishBots(deps, [bot.id], options);
  await wakeTurns(deps, bot, waits);
  await deps.directory.refresh();
  await nameKinds(deps, bot, changes.allowed_updates);
  return bot;
}

async function storeChanges(
  deps: Pick<BotDeps, 'db' | 'secrets' | 'clock'>,
  by: Actor,
  botId: number,
  changes: BotChanges,
  { reason = '', dropPending = false, handOver = false, retryNow = false, action: named, check }: ChangeOptions,
): Promise<{ bot: Bot; cursor_changes: BotRow['cursor_changes'] }> {
  const bots = botStore(deps.db);
  const before = await bots.lock(botId);
  if (before !== undefined) check?.(openBot(deps.secrets, before));
  const columns = columnsOf(deps.secrets, botId, changes);
  let row = before && (await bots.update(botId, columns).catch(refuseKnownToken));
  if (row && (handOver || retryNow)) {
    await bots.keepCursorChange(botId, { handOver, retryNow });
    row = await bots.byId(botId);
  }
  if (!before || !row) throw new FlotillaError('not_found', 'Bot not found');
  const [old, bot] = [openBot(deps.secrets, before), openBot(deps.secrets, row)];
  const toggled = bot.disabled ? 'bot_disable' : 'bot_enable';
  const action = named ?? (old.disabled === bot.disabled ? 'bot_update' : toggled);
  const dropped = dropPending ? 'pending updates dropped' : '';
  const left = changes.labels === undefined ? '' : await takeFromUnseeing(deps.db, old);
  const details = [describeBotChanges(old, bot), left, dropped, reason].filter((part) => part !== '').join('; ');
  await recordAction(deps, by, { action, bot_id: botId, details });
  return { bot, cursor_changes: row.cursor_changes };
}

/** Takes the chats of a bot from accounts that see it no more, by its new labels. Returns in words what they leave behind. */
async function takeFromUnseeing(db: BotDeps['db'], { id: botId, labels }: Bot): Promise<string> {
  await accountStore(db).unassignUnseen({ botId });
  return leftByLabels(db, botId, labels);
}

/** Wakes the turns that this configuration needs. */
export async function wakeTurns(deps: Pick<BotDeps, 'turns'>, bot: Bot, waitsForPush: boolean): Promise<void> {
  if (polls(bot)) await deps.turns.polling.wake(bot.id);
  if (pushes(bot) && waitsForPush) await deps.turns.push.wake(bot.id);
  const programs = bot.programs.filter((program) => programPushes(bot, program));
  if (programs.length > 0) await deps.turns.programs.wakeAll(programs.map(({ id }) => id));
  if (routes(bot) && !bot.disabled) await deps.turns.rules.wake(bot.id);
  if (sendsWaiting(bot)) await deps.turns.outbox.wake(bot.id);
}

const UNIQUE_VIOLATION = '23505';

function refuseKnownToken(error: unknown): never {
  if ((error as { code?: unknown }).code === UNIQUE_VIOLATION) {
    throw new FlotillaError('conflict', 'A bot with this token is registered already');
  }
  throw error;
}

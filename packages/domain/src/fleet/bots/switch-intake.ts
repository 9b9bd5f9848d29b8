import type { Actor } from '../../people/audit/actor.ts';
import { requireAuditable } from '../../people/audit/require-auditable.ts';
import { type Bot, type BotChanges, polls, usesPlatformWebhook } from './bot.ts';
import type { BotDeps } from './bot-deps.ts';
import { type BotCheck, changeBot } from './change-bot.ts';
import type { CursorChange } from './cursor-change.ts';
import { newestBot } from './newest-bot.ts';
import { NOW, patchBotState } from './patch-bot-state.ts';
import { removeOurWebhook, removePlatformWebhook, setPlatformWebhook } from './platform-webhook.ts';

/**
 * Changes a bot and its intake: pushes of the platform, or our polling. The platform is told first, so that its refusal
 * changes nothing here. Updates that come both ways are recognised by their ids. None is lost, because the platform
 * keeps what neither way has taken. Throws FlotillaError.
 */
export async function switchIntake(
  deps: BotDeps,
  by: Actor,
  bot: Bot,
  changes: BotChanges,
  options: CursorChange & { check?: BotCheck } = {},
): Promise<Bot> {
  const wanted = { ...bot, ...changes };
  const [used, uses] = [usesPlatformWebhook(bot), usesPlatformWebhook(wanted)];
  if (used || uses) await requireAuditable(deps.db);
  const sets = uses && (!used || wanted.token !== bot.token);
  const removes = used && !uses;
  // Also now, because the platform is told before the change is stored.
  if (sets || removes) options.check?.(await newestBot(deps, bot));
  if (sets) await setPlatformWebhook(deps, wanted);
  // Polling needs the place of any webhook; a bot that is switched off leaves that of another service alone.
  if (removes) await (polls(wanted) ? removePlatformWebhook : removeOurWebhook)(deps, wanted);
  const changed = await changeBot(deps, by, bot.id, changes, options);
  if (removes) await removeWebhookAgain(deps, changed);
  if (used !== uses) await patchBotState(deps, changed, { intakeSince: NOW, foreignAt: 0 });
  if (uses) await patchBotState(deps, changed, { hookOkAt: NOW });
  return changed;
}

/** A worker that checked the webhook before the change was stored may have set it again. */
async function removeWebhookAgain(deps: BotDeps, bot: Bot): Promise<void> {
  try {
    await removeOurWebhook(deps, bot);
  } catch (error) {
    deps.log.warn({ err: error, botId: bot.id }, 'the webhook at the platform could not be looked at once more');
  }
}

import { clearRefusal, noteRefusal } from '@flotilla/domain/delivery/polling/note-refusal.ts';
import { type Bot, usesPlatformWebhook } from '@flotilla/domain/fleet/bots/bot.ts';
import { foreignWebhookText, noteForeignWebhook } from '@flotilla/domain/fleet/bots/foreign-webhook.ts';
import { NOW, patchBotState } from '@flotilla/domain/fleet/bots/patch-bot-state.ts';
import { removePlatformWebhook, repairPlatformWebhook } from '@flotilla/domain/fleet/bots/platform-webhook.ts';
import { botKeys } from '@flotilla/redis/keys.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { WorkerContext } from '../context.ts';

/** Each check is a call to the platform: large fleets are checked less often. */
const CHECK_EVERY_MS = { least: 20_000, perBot: 20, most: 60_000 };
const CHECKS_AT_ONCE = 20;

/** Checks each pushed bot's webhook at the platform, every 20 to 60 s over all workers, and sets changed ones again. */
export async function watchPlatformWebhooks(deps: WorkerContext): Promise<void> {
  const pushed = deps.directory.all().filter(usesPlatformWebhook);
  if (pushed.length === 0 || deps.publicUrl === null) return;
  const due = await takeDueChecks(deps, pushed);
  for (let from = 0; from < due.length; from += CHECKS_AT_ONCE) {
    await Promise.all(due.slice(from, from + CHECKS_AT_ONCE).map(({ id }) => checkWebhook(deps, id)));
  }
}

/** Claims the check of each bot by setting its key. A worker that finds the key set leaves the check to another one. */
async function takeDueChecks(deps: WorkerContext, bots: Bot[]): Promise<Bot[]> {
  const everyMs = Math.min(CHECK_EVERY_MS.most, Math.max(CHECK_EVERY_MS.least, bots.length * CHECK_EVERY_MS.perBot));
  const replies = await deps.redis.runMany(
    bots.map((bot) => ['set', botKeys(bot.id).webhookCheck, '1', 'PX', everyMs, 'NX']),
  );
  return bots.filter((_, at) => replies[at] === 'OK');
}

/** Checks one bot's webhook and stores the result in the bot's state. A refusal by the platform is not thrown. */
async function checkWebhook(deps: WorkerContext, botId: number): Promise<void> {
  const refusedAtMs = Number((await deps.redis.commands.hget(botKeys(botId).state, 'refusedAt')) ?? 0);
  // It may have begun to move, or have moved, while the checks before this one ran.
  const bot = deps.directory.byId(botId);
  if (!bot || !usesPlatformWebhook(bot)) return;
  try {
    const found = await repairPlatformWebhook(deps, bot);
    if (found.outcome === 'foreign') {
      await patchBotState(deps, bot, { hookOkAt: 0, pollErr: foreignWebhookText(found.host), pollErrAt: NOW });
      await noteForeignWebhook(deps, bot, found.host);
      if (refusedAtMs > 0) await clearRefusal(deps, bot, refusedAtMs);
      return;
    }
    if (found.outcome === 'repaired') {
      deps.measure.repairs.inc({ what: 'webhook' });
      deps.log.warn({ bot: bot.id }, 'the webhook at the platform was not ours; it was set again');
    }
    if (found.outcome !== 'ours') await removeUnwanted(deps, bot);
    await patchBotState(deps, bot, { hookOkAt: NOW });
    if (refusedAtMs > 0) await clearRefusal(deps, bot, refusedAtMs);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    await patchBotState(deps, bot, { hookOkAt: 0, pollErr: reason, pollErrAt: NOW, pollTries: 0 });
    if (refusedAtMs === 0 && isRefusal(error)) await noteRefusal(deps, bot, reason);
  }
}

/** The bot may have been switched to polling, disabled or deleted while its webhook was checked. */
async function removeUnwanted(deps: WorkerContext, bot: Bot): Promise<void> {
  await deps.directory.refresh();
  const now = deps.directory.byId(bot.id);
  if (!now || !usesPlatformWebhook(now)) await removePlatformWebhook(deps, bot);
}

function isRefusal(error: unknown): boolean {
  return error instanceof FlotillaError && error.code === 'token_refused';
}

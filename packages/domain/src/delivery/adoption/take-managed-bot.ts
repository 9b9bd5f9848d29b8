import { doOnce } from '@flotilla/redis/allow-once.ts';
import { botKeys } from '@flotilla/redis/keys.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { Fields } from '@flotilla/telegram/platform-fields.ts';
import type { Bot } from '../../fleet/bots/bot.ts';
import type { BotDeps } from '../../fleet/bots/bot-deps.ts';
import { botStore } from '../../fleet/bots/bot-store.ts';
import { recordEvent } from '../../people/events/record-event.ts';
import { type ClaimedUnit, type Outcome, REDRIVEN_PREFIX } from '../lanes/claimed-unit.ts';
import { isStoreAway } from '../lanes/is-store-away.ts';
import { afterFailure, type FailedTry, givenUp } from '../lanes/retry-schedule.ts';
import { AdoptionRefused, adoptBot, followOwner } from './adopt-bot.ts';
import { type ManagedBot, readManagedBot } from './managed-bot.ts';

/** A refusal is tried again some seconds long: the platform may tell of a bot before it gives its token. */
const REFUSED_AT_MOST = 4;
const REFUSALS_TOLD_EVERY_MS = 3_600_000;

/**
 * Adopts the bot that an update tells of. Until that works, it is tried again on the schedule of deliveries; what cannot work
 * becomes a dead letter and an event. Rejects when a store is away.
 */
export async function takeManagedBot(deps: BotDeps, parent: Bot, unit: ClaimedUnit, updated: Fields): Promise<Outcome> {
  const managed = readManagedBot(updated);
  if (!parent.adopts || managed === null) return { outcome: 'delivered' };
  try {
    if (isNews(unit)) await followOwner(deps, parent, managed);
    await adoptBot(deps, parent, managed);
    return { outcome: 'delivered' };
  } catch (error) {
    if (!(error instanceof FlotillaError) || isStoreAway(error)) throw error;
    return afterError(deps, parent, { unit, managed, error });
  }
}

function isNews({ retry, unitId }: ClaimedUnit): boolean {
  return retry === null && !unitId.startsWith(REDRIVEN_PREFIX);
}

type Failed = { unit: ClaimedUnit; managed: ManagedBot; error: FlotillaError };

async function afterError(deps: BotDeps, parent: Bot, { unit, managed, error }: Failed): Promise<Outcome> {
  const { expiresAtMs } = unit.updates[0];
  const record = afterFailure(unit.retry, failedTry(error), { expiresAtMs }, deps.clock.nowMs());
  const isRefused = error instanceof AdoptionRefused;
  const isFinal = isRefused || (FINAL.includes(error.code) && record.attempts >= REFUSED_AT_MOST);
  if (!isFinal && record.nextTryAtMs < expiresAtMs) return { outcome: 'retry', atMs: record.nextTryAtMs, record };
  // Anybody with the link may make as many bots as the platform allows.
  const tell = async () => {
    const text = `${await whatFailed(deps, parent, managed)}: ${error.message}`;
    await recordEvent(deps.db, { kind: 'bot.not_adopted', bot_id: parent.id, text });
  };
  if (isRefused) await doOnce(deps.redis, botKeys(parent.id).toldOfRefusal, REFUSALS_TOLD_EVERY_MS, tell);
  else await tell();
  return { outcome: 'dead', failure: givenUp(record) };
}

/** The platform tells of a new bot and of a new token of an adopted one by the same kind of update. */
async function whatFailed(deps: BotDeps, parent: Bot, { made }: ManagedBot): Promise<string> {
  const known = await botStore(deps.db).byTelegramId(made.id);
  const isAdopted = known.some(({ parent_bot_id }) => parent_bot_id === parent.id);
  return isAdopted
    ? `The new token of @${made.username} could not be taken over`
    : `@${made.username} could not be adopted`;
}

/** Only somebody who changes something can help. */
const FINAL: readonly FlotillaError['code'][] = ['platform_refused', 'bad_request'];

function failedTry({ code, message, platformErrorCode, retryAfterS }: FlotillaError): FailedTry {
  return {
    code: code === 'platform_timeout' ? 'timed_out' : code === 'platform_failed' ? 'unreachable' : 'refused',
    status: platformErrorCode ?? null,
    reason: message,
    ...(retryAfterS !== undefined && { retryAfterS }),
  };
}

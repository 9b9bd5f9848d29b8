import type { BroadcastAudience } from '@flotilla/contract/broadcast-audience.ts';
import type { Broadcast } from '@flotilla/contract/broadcasts.ts';
import { LARGEST_BROADCAST_PARAMS } from '@flotilla/contract/broadcasts.ts';
import type { Database } from '@flotilla/database/connect.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import { FlotillaError, refusedInput } from '@flotilla/runtime/flotilla-error.ts';
import type { Bot } from '../../fleet/bots/bot.ts';
import { requireManaged } from '../../fleet/bots/require-managed.ts';
import type { Actor } from '../../people/audit/actor.ts';
import { recordAction } from '../../people/audit/record-action.ts';
import { lockBots } from '../../records/history/lock-bots.ts';
import { callActor } from '../../records/history/stream/captured-call.ts';
import { messagesIn, refuseForAdmins, requireSendable, storableParams } from '../outbox/sendable.ts';
import { type AudienceSize, countAudience } from './audience.ts';
import type { BroadcastContent } from './broadcast.ts';
import { broadcastStore } from './broadcast-store.ts';
import { chatListStore, type ListScope } from './chat-list-store.ts';
import { describeBroadcast } from './describe-broadcast.ts';
import { hasNames, requireFillable } from './fill-texts.ts';

type AddDeps = { db: Database; clock: Clock };
/** `mayPay`: the call may cost Stars of the bot, or be an invoice. `lists`: those that it may name. */
export type WantedBroadcast = Omit<BroadcastContent, 'bot_id' | 'messages' | 'needs_new_worker'> & BroadcastRights;
export type BroadcastRights = { mayPay: boolean; lists: ListScope };

const UNFINISHED_AT_MOST = 20;
const RETRY_AFTER_S = 60;
const YEAR_MS = 366 * 86_400_000;

/** Stores a broadcast; workers make its entries. Throws 'bad_request', or 'too_many_requests' if the bot has twenty unfinished ones. */
export async function addBroadcast(deps: AddDeps, bot: Bot, by: Actor, wanted: WantedBroadcast): Promise<Broadcast> {
  return deps.db.transaction().execute(async (db) => {
    const content = await readBroadcast({ ...deps, db }, bot, wanted);
    if (!(await lockBots(db, [bot.id])).has(bot.id)) throw new FlotillaError('not_found', 'Bot not found');
    const store = broadcastStore(db);
    if ((await store.unfinishedOf(bot.id)) >= UNFINISHED_AT_MOST) throw tooMany();
    // Of a million sends, each with the trace, nobody would read the trace.
    const broadcast = await store.insert({ ...content, created_by: callActor(by) });
    const done = { action: 'broadcast_add', bot_id: bot.id, details: describeBroadcast(broadcast) } as const;
    await recordAction({ db, clock: deps.clock }, by, done);
    return broadcast;
  });
}

/** Checks a broadcast and counts its audience, and stores nothing. Throws as addBroadcast does. */
export async function tryBroadcast(
  deps: AddDeps,
  bot: Bot,
  wanted: WantedBroadcast,
): Promise<BroadcastContent & AudienceSize> {
  const content = await readBroadcast(deps, bot, wanted);
  return { ...content, ...(await countAudience(deps.db, bot.id, content.audience)) };
}

/** The content with the method's proper name. Throws 'bad_request'. */
export async function readBroadcast(
  { db, clock }: AddDeps,
  bot: Bot,
  { mayPay, lists, ...wanted }: WantedBroadcast,
): Promise<BroadcastContent> {
  requireManaged(bot);
  const { audience, params, send_at } = wanted;
  const method = requireSendable(wanted.method);
  if (!/^(send|copy|forward)/.test(method)) throw refusedInput('method', 'must be one that sends, copies or forwards');
  if (!mayPay) refuseForAdmins(method, params);
  if (params.chat_id !== undefined)
    throw refusedInput('params.chat_id', 'must not be given: the audience has the chats');
  if (params.business_connection_id !== undefined) {
    throw refusedInput('params.business_connection_id', 'must not be given: a broadcast is sent as the bot itself');
  }
  if (Buffer.byteLength(JSON.stringify(params)) > LARGEST_BROADCAST_PARAMS) {
    throw refusedInput('params', `must not have more than ${LARGEST_BROADCAST_PARAMS / 1024} KiB`);
  }
  const stored = storableParams(params);
  requireFillable(stored);
  if (send_at !== null && send_at.getTime() > clock.nowMs() + YEAR_MS) {
    throw refusedInput('send_at', 'must be within a year');
  }
  await requireAudience(db, bot, audience, lists);
  const needs_new_worker = isNewAudience(audience) || hasNames(stored);
  return { ...wanted, bot_id: bot.id, method, params: stored, needs_new_worker, messages: messagesIn(stored) };
}

/** True for an audience that workers of the release before would overlook. */
function isNewAudience(audience: BroadcastAudience): boolean {
  return NEW_FIELDS.some((name) => audience[name] !== undefined);
}

const NEW_FIELDS = ['list_id', 'failures_of', 'language_codes', 'inactive_since'] as const;

async function requireAudience(db: Database, bot: Bot, audience: BroadcastAudience, lists: ListScope): Promise<void> {
  const { chat_ids: ids, list_id: list, failures_of: failures, chat_types: types } = audience;
  const named = [ids, list, failures].filter((one) => one !== undefined).length;
  if (named === 0 && types === undefined) {
    throw refusedInput('audience', 'must name chat_ids, list_id, failures_of or chat_types');
  }
  if (named > 1) throw refusedInput('audience', 'must name only one of chat_ids, list_id and failures_of');
  if (list !== undefined && (await chatListStore(db).find(lists, list)) === null) {
    throw refusedInput('audience.list_id', 'must be a list of yours');
  }
  if (failures === undefined) return;
  const former = await broadcastStore(db).find(failures.broadcast_id);
  if (former?.bot_id !== bot.id) {
    throw refusedInput('audience.failures_of.broadcast_id', 'must be a broadcast of the same bot');
  }
}

function tooMany(): FlotillaError {
  const sentence = `${UNFINISHED_AT_MOST} broadcasts of this bot have not ended yet; wait for one of them`;
  return new FlotillaError('too_many_requests', sentence, { retryAfterS: RETRY_AFTER_S });
}

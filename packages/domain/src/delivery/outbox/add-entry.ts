import { isDeepStrictEqual } from 'node:util';
import type { Priority } from '@flotilla/contract/outbox.ts';
import type { Database } from '@flotilla/database/connect.ts';
import type { Clock } from '@flotilla/runtime/clock.ts';
import { FlotillaError, refusedInput } from '@flotilla/runtime/flotilla-error.ts';
import type { PlatformClient } from '@flotilla/telegram/platform-client.ts';
import type { Fields } from '@flotilla/telegram/platform-fields.ts';
import type { Bot } from '../../fleet/bots/bot.ts';
import { requireManaged } from '../../fleet/bots/require-managed.ts';
import { type Actor, isOfPerson } from '../../people/audit/actor.ts';
import { recordAction } from '../../people/audit/record-action.ts';
import { connectionParam, findConversation } from '../../records/chats/conversation.ts';
import { findChatId } from '../../records/chats/find-chat-id.ts';
import { type CallActor, callActor, requestOf } from '../../records/history/stream/captured-call.ts';
import { authorOf, sharerOf } from './author.ts';
import type { Content, Entry } from './entry.ts';
import type { OutboxRoom } from './outbox-room.ts';
import { outboxStore } from './outbox-store.ts';
import { messagesIn, requireChat, requireSendable, storableParams, takesConnection } from './sendable.ts';
import { type WakeDeps, wakeOutbox } from './wake-outbox.ts';

export type AddDeps = WakeDeps & { db: Database; clock: Clock; platform: PlatformClient; outboxRoom: OutboxRoom };

export type WantedEntry = {
  method: string;
  params: Fields;
  priority: Priority;
  sendAtS?: number | undefined;
  expiresAtS?: number | undefined;
  idempotencyKey?: string | undefined;
  /** The token of the program. */
  tokenId?: number | undefined;
};

const YEAR_S = 366 * 86_400;

/**
 * Hands a send over. An entry of the same author with the same key and content is answered again. Throws 'bad_request',
 * 'ambiguous_conversation', 'idempotency_mismatch', 'too_many_requests', or the platform's refusal of a chat's name.
 */
export async function addEntry(deps: AddDeps, bot: Bot, by: Actor, wanted: WantedEntry): Promise<Entry> {
  requireManaged(bot);
  const content = await readContent(deps, bot, wanted);
  const { idempotencyKey = null, tokenId } = wanted;
  const createdBy: CallActor = {
    ...callActor(by),
    ...requestOf(by),
    ...automaticOf(by, content),
    ...(tokenId === undefined ? {} : { tokenId }),
  };
  const author = authorOf(createdBy) ?? '';
  const known = idempotencyKey === null ? null : await outboxStore(deps.db).findByKey(bot.id, author, idempotencyKey);
  if (known !== null) return sameEntry(known, content);
  requireTimes(deps.clock, wanted);
  content.params = await inConversation(deps, bot, content);
  const bytes = Buffer.byteLength(JSON.stringify(content.params));
  await deps.outboxRoom.take(bot.id, sharerOf(createdBy), bytes);
  const added = await deps.db.transaction().execute(async (db) => {
    const entry = await outboxStore(db).insert({ ...content, botId: bot.id, idempotencyKey, createdBy, bytes });
    if (entry === null) return null;
    const details = `entry ${entry.id}; ${entry.method}${entry.sendAt === null ? '' : `; at ${entry.sendAt.toISOString()}`}`;
    const done = { action: 'outbox_add', botId: bot.id, chatId: entry.chatId, details } as const;
    await recordAction({ db, clock: deps.clock }, by, done);
    return entry;
  });
  if (added === null) {
    return sameEntry(await outboxStore(deps.db).findByKey(bot.id, author, idempotencyKey ?? ''), content);
  }
  await wakeOutbox(deps, bot.id);
  return added;
}

/** A person's own send goes out later, and is an answer all the same; so is what replies to a message. All else answers nobody. */
function automaticOf(by: Actor, { params }: Content): Pick<CallActor, 'automatic'> {
  const isReply = (params.reply_parameters ?? params.reply_to_message_id ?? null) !== null;
  if (isOfPerson(by) || isReply) return {};
  const name = by.kind === 'account' ? by.username : by.kind === 'bot' ? by.program?.name : undefined;
  return { automatic: { kind: 'outbox', ...(name !== undefined && { name }) } };
}

async function readContent(deps: AddDeps, bot: Bot, wanted: WantedEntry): Promise<Content> {
  const method = requireSendable(wanted.method);
  const chat = requireChat(wanted.params);
  const params = storableParams(wanted.params);
  return {
    chatId: 'id' in chat ? chat.id : await findChatId(deps, bot, chat.name, 'act'),
    method,
    params,
    messages: messagesIn(params),
    priority: wanted.priority,
    sendAt: dateOf(wanted.sendAtS),
    expiresAt: dateOf(wanted.expiresAtS),
  };
}

/** Names the conversation, which may be another one, or one of several, once the entry is sent. */
async function inConversation({ db }: AddDeps, bot: Bot, { chatId, method, params }: Content): Promise<Fields> {
  const { business_connection_id: given, ...others } = params;
  if (!takesConnection(method)) return params;
  if (given !== undefined && typeof given !== 'string') {
    throw refusedInput('params.business_connection_id', 'must be the id of a business connection');
  }
  return { ...others, ...connectionParam(await findConversation(db, { botId: bot.id, chatId }, given)) };
}

function requireTimes(clock: Clock, { sendAtS, expiresAtS }: WantedEntry): void {
  const nowS = clock.nowMs() / 1000;
  if (sendAtS !== undefined && sendAtS > nowS + YEAR_S) throw refusedInput('send_at', 'must be within a year');
  if (expiresAtS !== undefined && expiresAtS <= nowS) throw refusedInput('expires_at', 'must be in the future');
  if (expiresAtS !== undefined && expiresAtS <= (sendAtS ?? 0)) {
    throw refusedInput('expires_at', 'must be later than send_at');
  }
}

function sameEntry(known: Entry | null, content: Content): Entry {
  if (known === null)
    throw new FlotillaError('unavailable', 'The entry with this key is just being removed; try again');
  const contentOf = ({ method, params, priority, sendAt, expiresAt }: Content) => {
    const { business_connection_id: connection = '', ...others } = JSON.parse(JSON.stringify(params));
    // The entry names the conversation also where the call leaves that to us.
    const conversation = content.params.business_connection_id === undefined ? null : connection;
    return { method, params: others, conversation, priority, sendAt, expiresAt };
  };
  const first = { ...known, expiresAt: known.firstExpiresAt ?? known.expiresAt };
  // An entry that had no time got one when it was released.
  if (known.releasedBy !== null && content.sendAt === null) first.sendAt = null;
  if (isDeepStrictEqual(contentOf(first), contentOf(content))) return known;
  throw new FlotillaError('idempotency_mismatch', 'This idempotency_key was used for another entry');
}

function dateOf(seconds: number | undefined): Date | null {
  return seconds === undefined ? null : new Date(seconds * 1000);
}

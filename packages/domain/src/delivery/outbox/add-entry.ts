import { isDeepStrictEqual } from 'node:util';
import type { CallActor } from '@flotilla/contract/call-actor.ts';
import type { OutboxEntry, Priority } from '@flotilla/contract/outbox.ts';
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
import { callActor, traceOf } from '../../records/history/stream/captured-call.ts';
import { authorOf, sharerOf } from './author.ts';
import type { OutboxRoom } from './outbox-room.ts';
import { type NewEntry, outboxStore } from './outbox-store.ts';
import { messagesIn, requireChat, requireSendable, storableParams, takesConnection } from './sendable.ts';
import { type WakeDeps, wakeOutbox } from './wake-outbox.ts';

export type AddDeps = WakeDeps & { db: Database; clock: Clock; platform: PlatformClient; outboxRoom: OutboxRoom };

/** Times are Unix seconds. */
export type WantedEntry = {
  method: string;
  params: Fields;
  priority: Priority;
  send_at?: number | undefined;
  expires_at?: number | undefined;
  idempotency_key?: string | undefined;
  /** The token of the program. */
  tokenId?: number | undefined;
};

type EntryContent = Omit<NewEntry, 'bot_id' | 'bytes' | 'idempotency_key' | 'created_by'>;

const YEAR_S = 366 * 86_400;

/**
 * Hands a send over. An entry of the same author with the same key and content is answered again. Throws 'bad_request',
 * 'ambiguous_conversation', 'idempotency_mismatch', 'too_many_requests', or the platform's refusal of a chat's name.
 */
export async function addEntry(deps: AddDeps, bot: Bot, by: Actor, wanted: WantedEntry): Promise<OutboxEntry> {
  requireManaged(bot);
  const content = await readContent(deps, bot, wanted);
  const { idempotency_key = null, tokenId } = wanted;
  const created_by: CallActor = {
    ...callActor(by),
    ...traceOf(by),
    ...automaticOf(by, content),
    ...(tokenId === undefined ? {} : { tokenId }),
  };
  const author = authorOf(created_by) ?? '';
  const known = idempotency_key === null ? null : await outboxStore(deps.db).findByKey(bot.id, author, idempotency_key);
  if (known !== null) return sameEntry(deps.clock, known, content);
  requireTimes(deps.clock, wanted);
  content.params = await inConversation(deps, bot, content);
  const bytes = Buffer.byteLength(JSON.stringify(content.params));
  await deps.outboxRoom.take(bot.id, sharerOf(created_by), bytes);
  const added = await deps.db.transaction().execute(async (db) => {
    const entry = await outboxStore(db).insert({ ...content, bot_id: bot.id, idempotency_key, created_by, bytes });
    if (entry === null) return null;
    const details = `entry ${entry.id}; ${entry.method}${entry.send_at === null ? '' : `; at ${entry.send_at.toISOString()}`}`;
    const done = { action: 'outbox_add', bot_id: bot.id, chat_id: entry.chat_id, details } as const;
    await recordAction({ db, clock: deps.clock }, by, done);
    return entry;
  });
  if (added === null) {
    const other = await outboxStore(deps.db).findByKey(bot.id, author, idempotency_key ?? '');
    return sameEntry(deps.clock, other, content);
  }
  await wakeOutbox(deps, bot.id);
  return added;
}

/** A person's own send goes out later, and is an answer all the same; so is what replies to a message. All else answers nobody. */
function automaticOf(by: Actor, { params }: EntryContent): Pick<CallActor, 'automatic'> {
  const isReply = (params.reply_parameters ?? params.reply_to_message_id ?? null) !== null;
  if (isOfPerson(by) || isReply) return {};
  const name = by.kind === 'account' ? by.username : by.kind === 'bot' ? by.program?.name : undefined;
  return { automatic: { kind: 'outbox', ...(name !== undefined && { name }) } };
}

async function readContent(deps: AddDeps, bot: Bot, wanted: WantedEntry): Promise<EntryContent> {
  const method = requireSendable(wanted.method);
  const chat = requireChat(wanted.params);
  const params = storableParams(wanted.params);
  return {
    chat_id: 'id' in chat ? chat.id : await findChatId(deps, bot, chat.name, 'act'),
    method,
    params,
    messages: messagesIn(params),
    priority: wanted.priority,
    send_at: dateOf(wanted.send_at),
    expires_at: dateOf(wanted.expires_at),
  };
}

/** Names the conversation, which may be another one, or one of several, once the entry is sent. */
async function inConversation({ db }: AddDeps, bot: Bot, { chat_id, method, params }: EntryContent): Promise<Fields> {
  const { business_connection_id: given, ...others } = params;
  if (!takesConnection(method)) return params;
  if (given !== undefined && typeof given !== 'string') {
    throw refusedInput('params.business_connection_id', 'must be the id of a business connection');
  }
  return { ...others, ...connectionParam(await findConversation(db, { bot_id: bot.id, chat_id }, given)) };
}

function requireTimes(clock: Clock, { send_at, expires_at }: WantedEntry): void {
  const nowS = clock.nowMs() / 1000;
  if (send_at !== undefined && send_at > nowS + YEAR_S) throw refusedInput('send_at', 'must be within a year');
  if (expires_at !== undefined && expires_at <= nowS) throw refusedInput('expires_at', 'must be in the future');
  if (expires_at !== undefined && expires_at <= (send_at ?? 0)) {
    throw refusedInput('expires_at', 'must be later than send_at');
  }
}

function sameEntry(clock: Clock, known: OutboxEntry | null, content: EntryContent): OutboxEntry {
  if (known === null)
    throw new FlotillaError('unavailable', 'The entry with this key is just being removed; try again');
  const contentOf = ({ method, params, priority, send_at, expires_at }: EntryContent) => {
    const { business_connection_id: connection = '', ...others } = JSON.parse(JSON.stringify(params));
    // The entry names the conversation also where the call leaves that to us.
    const conversation = content.params.business_connection_id === undefined ? null : connection;
    return { method, params: others, conversation, priority, send_at, expires_at };
  };
  const first = { ...known, expires_at: known.first_expires_at ?? known.expires_at };
  // An entry that had no time gets one when it is released. A time that is past changes nothing.
  if (content.send_at === null && Number(known.send_at) <= clock.nowMs()) first.send_at = null;
  if (isDeepStrictEqual(contentOf(first), contentOf(content))) return known;
  throw new FlotillaError('idempotency_mismatch', 'This idempotency_key was used for another entry');
}

function dateOf(seconds: number | undefined): Date | null {
  return seconds === undefined ? null : new Date(seconds * 1000);
}

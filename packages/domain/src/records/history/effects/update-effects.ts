import { kindFacts } from '@flotilla/contract/bot-api/update-kinds.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import { connectionOfUpdate } from '@flotilla/telegram/chat-id.ts';
import { readPoll } from '@flotilla/telegram/message-details.ts';
import { idOfMessage, readAuthorFacts, readChatFacts } from '@flotilla/telegram/message-facts.ts';
import { readMemberService } from '@flotilla/telegram/message-service.ts';
import { OUTSIDE_TOPICS, topicOf, topicOfUpdate } from '@flotilla/telegram/message-topic.ts';
import { type Fields, readInteger, readObject, readText, requireInteger } from '@flotilla/telegram/platform-fields.ts';
import { readUpdateFacts } from '@flotilla/telegram/update-facts.ts';
import type { UpdateEntry } from '../stream/history-codec.ts';
import type { HistoryBot, HistoryEffect, NewMessage } from './history-effect.ts';
import { messageEffects } from './message-effects.ts';

/** The effects of an update on the history. Kinds without a chat have none. */
export function updateEffects(bot: HistoryBot, entry: UpdateEntry): HistoryEffect[] {
  const update = JSON.parse(entry.raw) as Fields;
  const { kind } = readUpdateFacts(update);
  const facts = kindFacts(kind);
  const payload = readObject(update, kind);
  if (facts === undefined) return payload === null ? [] : newKindEffects(kind, payload, entry);
  if (payload === null) throw new FlotillaError('bad_request', `${kind} is not an object`);
  if (facts.message !== undefined) {
    const editedAtS = facts.message === 'edited' ? Math.floor(entry.atMs / 1000) : null;
    return messageEffects(bot, payload, { sent: false, editedAtS });
  }
  if (kind === 'callback_query') return callbackEffects(payload, entry);
  if (kind === 'widget_query') return tapEffects(payload, entry);
  if (kind === 'chat_member') return memberEffects(bot, payload, entry);
  if (kind === 'my_chat_member') return [...memberEffects(bot, payload, entry), ...membershipEffects(payload, entry)];
  if (kind === 'deleted_business_messages') return deletionEffects(payload, entry);
  if (kind === 'poll') return pollEffects(payload);
  return chatEffects(payload);
}

function callbackEffects(callback: Fields, entry: UpdateEntry): HistoryEffect[] {
  const pressed = readObject(callback, 'message');
  if (pressed === null) return [];
  const topic = topicOf(pressed);
  const message = {
    ...eventRow(pressed, callback, entry),
    business_connection_id: readText(pressed, 'business_connection_id') ?? '',
    text: readText(callback, 'data') ?? readText(callback, 'game_short_name'),
    media_type: 'callback',
    reply_to_message_id: idOfMessage(pressed),
    details: topic === null ? null : { thread_id: topic },
  };
  return [...chatEffects(pressed), { type: 'message', message }];
}

function tapEffects(tap: Fields, entry: UpdateEntry): HistoryEffect[] {
  if (readObject(tap, 'chat') === null) return [];
  const data = readText(tap, 'data');
  const message = {
    ...eventRow(tap, tap, entry),
    business_connection_id: readText(tap, 'business_connection_id') ?? '',
    text: data === null ? 'Widget tapped' : `Widget tapped: ${data}`,
    service: 'widget_query',
    reply_to_message_id: readInteger(tap, 'message_id'),
  };
  return [...chatEffects(tap), { type: 'message', message }];
}

/** A text of a message is no longer. */
const JSON_CHARACTERS = 4096;

/**
 * An event of the chat whose text is the JSON of all that no column has; the message that it is about has a row of its own, which may be of
 * somebody else. Nothing in it can make a dead letter.
 */
function newKindEffects(kind: string, payload: Fields, entry: UpdateEntry): HistoryEffect[] {
  const about = readObject(payload, 'message') ?? {};
  const place = readObject(payload, 'chat') === null ? about : payload;
  const chat = readObject(place, 'chat');
  if (!Number.isSafeInteger(chat?.id)) return [];
  const people = [readObject(payload, 'from'), readObject(payload, 'user')];
  const from = people.find((person) => Number.isSafeInteger(person?.id)) ?? null;
  const topic = topicOfUpdate(payload, kind);
  const { chat: _chat, from: _from, user: _user, message: _message, ...others } = payload;
  const message_id = payload.message_id ?? about.message_id;
  const message = {
    ...eventRow(place, { from }, entry),
    business_connection_id: connectionOfUpdate({ [kind]: payload }, kind),
    text: `${kind}: ${jsonOf(others)}`.slice(0, JSON_CHARACTERS).toWellFormed(),
    service: kind,
    reply_to_message_id: Number.isSafeInteger(message_id) ? (message_id as number) : null,
    details: topic === null || topic === OUTSIDE_TOPICS ? null : { thread_id: topic },
  };
  return [...chatEffects(place), { type: 'message', message }];
}

/** Nested too deeply, it could be parsed and cannot be printed. */
function jsonOf(fields: Fields): string {
  try {
    return JSON.stringify(fields);
  } catch (error) {
    if (error instanceof RangeError) return '{…}';
    throw error;
  }
}

// Joins and leaves are service messages of the chat and get no second row. Bans and unbans come in no other update.
function memberEffects(bot: HistoryBot, change: Fields, entry: UpdateEntry): HistoryEffect[] {
  const event = readMemberService(change);
  if (event === null) return chatEffects(change);
  const row = eventRow(change, change, entry);
  const message = {
    ...row,
    text: event.label,
    date: readInteger(change, 'date') ?? row.date,
    service: event.service,
    outgoing: row.user_id === bot.telegram_id,
  };
  return [...chatEffects(change), { type: 'message', message }];
}

function membershipEffects(change: Fields, { atMs }: UpdateEntry): HistoryEffect[] {
  const chat = readObject(change, 'chat');
  if (chat === null) return [];
  const now = readObject(change, 'new_chat_member') ?? {};
  const isOut =
    now.status === 'kicked' || now.status === 'left' || (now.status === 'restricted' && now.is_member === false);
  const atS = readInteger(change, 'date') ?? Math.floor(atMs / 1000);
  return [{ type: 'membership', chat_id: requireInteger(chat, 'id'), blocked: isOut, atS }];
}

/** Above every update id (2^31 - 1). */
export const IDS_OF_EVENTS = 2 ** 32;

// The row of an event that is no message has a negative id, which the platform never gives, and which rises with that of its update.
function eventRow(place: Fields, { from }: Fields, entry: UpdateEntry): NewMessage {
  const user = from === null ? null : readAuthorFacts({ from, chat: place.chat });
  if (user === null && from !== null) throw new FlotillaError('bad_request', 'from is missing');
  return {
    business_connection_id: '',
    chat_id: requireInteger(readObject(place, 'chat') ?? {}, 'id'),
    id: entry.updateId - IDS_OF_EVENTS,
    user_id: user?.id ?? null,
    username: user?.username ?? null,
    first_name: user?.first_name ?? null,
    last_name: user?.last_name ?? null,
    text: null,
    date: Math.floor(entry.atMs / 1000),
    media_type: null,
    service: null,
    file_id: null,
    reply_to_message_id: null,
    edit_date: null,
    outgoing: false,
    details: null,
    program_id: null,
    automatic: null,
  };
}

function deletionEffects(deletion: Fields, entry: UpdateEntry): HistoryEffect[] {
  const ids = Array.isArray(deletion.message_ids) ? deletion.message_ids : [];
  return [
    ...chatEffects(deletion),
    {
      type: 'delete',
      business_connection_id: readText(deletion, 'business_connection_id') ?? '',
      chat: requireInteger(readObject(deletion, 'chat') ?? {}, 'id'),
      messageIds: ids.map((id: unknown) => requireInteger({ message_id: id }, 'message_id')),
      atMs: entry.atMs,
    },
  ];
}

function pollEffects(payload: Fields): HistoryEffect[] {
  const poll = readPoll(payload);
  return poll === null ? [] : [{ type: 'poll', poll }];
}

function chatEffects(payload: Fields): HistoryEffect[] {
  const chat = readObject(payload, 'chat');
  if (chat === null) return [];
  const direct = readText(payload, 'business_connection_id') === null;
  return [{ type: 'chat', chat: readChatFacts(chat), guessed: false, direct }];
}

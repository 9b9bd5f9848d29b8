import type { Automatic } from '@flotilla/contract/messages.ts';
import { capturedMethod } from '@flotilla/telegram/captured-methods.ts';
import { type MessageDetails, readMarkup } from '@flotilla/telegram/message-details.ts';
import { ephemeralRowId, isMessage } from '@flotilla/telegram/message-facts.ts';
import { readMessageText } from '@flotilla/telegram/message-text.ts';
import { GENERAL_TOPIC, readTopic, type TopicFacts } from '@flotilla/telegram/message-topic.ts';
import { familyOf } from '@flotilla/telegram/method-families.ts';
import { isFields, readInteger, readText } from '@flotilla/telegram/platform-fields.ts';
import { actorOfCall } from '../stream/captured-call.ts';
import type { CallEntry } from '../stream/history-codec.ts';
import { readAuditedCall, readAuditedMessage } from './audited-call.ts';
import {
  type CallParams,
  isTrue,
  readChatRef,
  readIdParam,
  readIdsParam,
  readJsonParam,
  readReplyParam,
  readTextParam,
} from './call-params.ts';
import type { HistoryBot, HistoryEffect, MessageCopy } from './history-effect.ts';
import { messageEffects } from './message-effects.ts';

/** The effects of a captured call on the history: messages sent, copied, edited or deleted, and its audit entry. */
export function callEffects(bot: HistoryBot, entry: CallEntry): HistoryEffect[] {
  const method = entry.method.toLowerCase();
  const result: unknown = JSON.parse(entry.result);
  return [
    ...resultEffects(bot, entry, method, result),
    ...deletionEffects(entry, method),
    ...topicEffects(entry, method, result),
    ...auditEffects(entry, result),
  ];
}

function resultEffects(bot: HistoryBot, entry: CallEntry, method: string, result: unknown): HistoryEffect[] {
  if (capturedMethod(method)?.effect === 'copies') return copyEffects(bot, entry, method, result);
  if (method.startsWith('editephemeral')) return ephemeralEdits(entry);
  // A bot has not sent the messages that a get method answers.
  if (method.startsWith('get')) return [];
  const sent = /^(send|forward|copy)/.test(method);
  const { programId } = (sent ? entry.actor : undefined) ?? {};
  const automatic = sent ? automaticOf(entry) : undefined;
  const editedAtS = changesContent(method) ? toSeconds(entry.atMs) : null;
  const reply_markup = sent ? readSentMarkup(entry.params, method) : undefined;
  const origin = { sent, editedAtS, programId, automatic, reply_markup };
  const messages = (Array.isArray(result) ? result : [result]).filter(isMessage);
  return messages.flatMap((message) => messageEffects(bot, message, origin));
}

/** A program answers nobody in a chat that a person has taken over. */
function automaticOf({ actor, whileHeld }: CallEntry): Automatic | undefined {
  if (actor?.automatic !== undefined || whileHeld === undefined) return actor?.automatic;
  return { kind: 'held', ...(actor?.program === undefined ? {} : { name: actor.program }) };
}

// The platform answers a copy with ids only, so the content is taken from the rows of the sources.
function copyEffects(bot: HistoryBot, entry: CallEntry, method: string, result: unknown): HistoryEffect[] {
  const { params } = entry;
  const to = readChatRef(params, 'chat_id');
  const ids = (Array.isArray(result) ? result : [result]).map(readMessageId).filter((id) => id !== null);
  if (to === null || ids.length === 0) return [];
  const copy: MessageCopy = {
    // Chat 0 does not exist, so an unnamed source is simply not found.
    from: readChatRef(params, 'from_chat_id') ?? 0,
    to,
    pairs: pairSources(readSourceIds(params, method), ids),
    caption: copiedCaption(params, method),
    details: copiedDetails(params, method),
    base: {
      business_connection_id: readTextParam(params, 'business_connection_id') ?? '',
      user_id: bot.telegram_id,
      username: bot.username === '' ? null : bot.username,
      first_name: bot.name === '' ? null : bot.name,
      last_name: null,
      date: toSeconds(entry.atMs),
      reply_to_message_id: readReplyParam(params),
      edit_date: null,
      outgoing: true,
      program_id: entry.actor?.programId ?? null,
      automatic: automaticOf(entry) ?? null,
    },
  };
  return [{ type: 'copy', copy }];
}

/** The platform answers an edit of an ephemeral message with `true`, so its parameters tell what changed. */
function ephemeralEdits({ params, atMs }: CallEntry): HistoryEffect[] {
  const chat = readChatRef(params, 'chat_id');
  const ephemeralId = readIdParam(params, 'ephemeral_message_id');
  if (chat === null || ephemeralId === null) return [];
  const media = readJsonParam(params, 'media');
  const medium = isFields(media) ? media : null;
  const words = medium ?? { ...params, rich_message: readJsonParam(params, 'rich_message') };
  const isReworded = medium !== null || ['text', 'caption', 'rich_message'].some((name) => params[name] !== undefined);
  const entities = medium?.caption_entities ?? readJsonParam(params, params.text ? 'entities' : 'caption_entities');
  const file = medium === null ? null : readText(medium, 'media');
  const changes = {
    ...(isReworded ? { text: readMessageText(words) } : {}),
    // Only a file that the platform has already is named by its id.
    ...(medium === null
      ? {}
      : {
          medium: {
            media_type: readText(medium, 'type') ?? 'document',
            file_id: file !== null && /^[\w-]{20,}$/.test(file) ? file : null,
          },
        }),
    details: readMarkup(entities, readJsonParam(params, 'reply_markup')),
    editedAtS: toSeconds(atMs),
  };
  return [{ type: 'edit', chat, id: ephemeralRowId(ephemeralId), changes }];
}

function readSourceIds(params: CallParams, method: string): number[] {
  if (method !== 'copymessage') return readIdsParam(params, 'message_ids');
  const id = readIdParam(params, 'message_id');
  return id === null ? [] : [id];
}

// The answer leaves out messages that could not be copied and does not say which; then no pair is certain.
function pairSources(sourceIds: number[], ids: number[]): MessageCopy['pairs'] {
  const certain = sourceIds.length === ids.length;
  return ids.map((id, index) => ({ sourceId: certain ? (sourceIds[index] ?? null) : null, id }));
}

function copiedCaption(params: CallParams, method: string): string | null | undefined {
  if (isTrue(params, 'remove_caption')) return null;
  return method === 'copymessage' ? (readTextParam(params, 'caption') ?? undefined) : undefined;
}

function copiedDetails(params: CallParams, method: string): MessageDetails {
  const thread_id = readIdParam(params, 'message_thread_id');
  return {
    ...readMarkup(readJsonParam(params, 'caption_entities'), readSentMarkup(params, method)),
    ...(thread_id === null ? {} : { thread_id }),
  };
}

/** Sends of these methods have no keyboard of their own; the platform ignores the parameter. */
const WITHOUT_MARKUP = new Set(['sendmediagroup', 'forwardmessage', 'forwardmessages', 'copymessages']);

function readSentMarkup(params: CallParams, method: string): unknown {
  return WITHOUT_MARKUP.has(method) ? undefined : readJsonParam(params, 'reply_markup');
}

function deletionEffects(entry: CallEntry, method: string): HistoryEffect[] {
  if (capturedMethod(method)?.effect !== 'deletion') return [];
  const { params, atMs } = entry;
  const ephemeralId = readIdParam(params, 'ephemeral_message_id');
  const one =
    method === 'deleteephemeralmessage' && ephemeralId !== null
      ? ephemeralRowId(ephemeralId)
      : readIdParam(params, 'message_id');
  const messageIds =
    method !== 'deletemessages' && method !== 'deletebusinessmessages' && one !== null
      ? [one]
      : readIdsParam(params, 'message_ids');
  const business_connection_id = readTextParam(params, 'business_connection_id') ?? '';
  const chat = readChatRef(params, 'chat_id');
  if (messageIds.length === 0 || (chat === null && business_connection_id === '')) return [];
  return [{ type: 'delete', business_connection_id, chat, messageIds, atMs }];
}

/** The bot gets no update of what it does with a topic. */
function topicEffects({ params }: CallEntry, method: string, result: unknown): HistoryEffect[] {
  const chat = readChatRef(params, 'chat_id');
  if (chat === null) return [];
  const seen = (threadId: number | null, made: TopicFacts, changed: TopicFacts | null): HistoryEffect[] =>
    threadId === null ? [] : [{ type: 'topic', topic: { chat, threadId, made, changed, messageAtS: null } }];
  if (method === 'createforumtopic') {
    return isFields(result) ? seen(readInteger(result, 'message_thread_id'), readTopic(result), null) : [];
  }
  const changed = topicChange(params, method);
  if (changed === null) return [];
  const isGeneral = method.includes('general');
  return seen(isGeneral ? GENERAL_TOPIC : readIdParam(params, 'message_thread_id'), isGeneral ? GENERAL : {}, changed);
}

const GENERAL: TopicFacts = { name: 'General' };

function topicChange(params: CallParams, method: string): TopicFacts | null {
  switch (method) {
    case 'editforumtopic':
    case 'editgeneralforumtopic':
      return { name: readTextParam(params, 'name') ?? undefined, iconEmoji: params.icon_custom_emoji_id };
    case 'closeforumtopic':
    case 'closegeneralforumtopic':
    case 'hidegeneralforumtopic':
      return { closed: true };
    case 'reopenforumtopic':
    case 'reopengeneralforumtopic':
      return { closed: false };
    case 'deleteforumtopic':
      return { deleted: true };
    default:
      return null;
  }
}

function auditEffects(entry: CallEntry, result: unknown): HistoryEffect[] {
  const { method, params, actor = {}, captureKey: ofCall, key, atMs, incomplete } = entry;
  const by = actorOfCall(actor);
  // A broadcast has one entry for itself, and none for each chat.
  const isOfPerson = by.kind === 'account' && actor.automatic?.kind !== 'broadcast';
  const audited = readAuditedCall(method, params) ?? (isOfPerson ? readAuditedMessage(method, result) : null);
  if (audited === null) return [];
  // An action is never left out because its chat cannot be read.
  const chat = readChatRef(params, 'chat_id') ?? 0;
  const business_connection_id = readTextParam(params, 'business_connection_id') ?? '';
  const details = incomplete === undefined ? audited.details : notUnderstood(audited.details, incomplete);
  const captureKey = actor.auditKey ?? ofCall ?? key;
  const of = { chat, business_connection_id, dateS: toSeconds(atMs), captureKey, by };
  return [{ type: 'audit', audit: { ...audited, details, ...of } }];
}

function notUnderstood(details: string, reason: string): string {
  const mark = `not understood: ${reason}`;
  return details === '' ? mark : `${details}; ${mark}`;
}

function readMessageId(value: unknown): number | null {
  return typeof value === 'object' && value !== null ? readInteger({ ...value }, 'message_id') : null;
}

/** A score is no part of a message's content. */
function changesContent(method: string): boolean {
  const isEdit = familyOf(method) === 'edit' && method !== 'setgamescore';
  return isEdit && capturedMethod(method)?.effect === 'messages';
}

function toSeconds(ms: number): number {
  return Math.floor(ms / 1000);
}

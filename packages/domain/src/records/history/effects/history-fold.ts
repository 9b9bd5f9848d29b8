import { type MessageDetails, orNull, type PollDetails } from '@flotilla/telegram/message-details.ts';
import { type ChatFacts, guessChatType, type SenderFacts } from '@flotilla/telegram/message-facts.ts';
import { GENERAL_TOPIC, type TopicFacts } from '@flotilla/telegram/message-topic.ts';
import type { Membership } from '../../chats/blocked-chat-store.ts';
import type { GroupMove } from '../../moved-groups/moved-group-store.ts';
import type {
  ChatRef,
  HistoryEffect,
  MessageCopy,
  MessageEdit,
  NewAudit,
  NewMessage,
  NewTopic,
} from './history-effect.ts';

/** `position`: see message-place.ts. */
export type FoldedMessage = NewMessage & { bot_id: number; position?: number | null };
/** `direct`: the bot's own chat is known; null: nobody knows. */
export type FoldedChat = ChatFacts & { bot_id: number; direct: boolean | null };
export type FoldedAuthor = SenderFacts & { bot_id: number; chat_id: number; seenAtS: number };
export type FoldedDeletion = {
  bot_id: number;
  business_connection_id: string;
  chat_id: number | null;
  id: number;
  atMs: number;
};
/** `atS`: Unix seconds. */
export type FoldedMigration = { move: GroupMove; atS: number };
export type FoldedTopic = Omit<NewTopic, 'chat'> & { bot_id: number; chat_id: number };
export type FoldedPoll = PollDetails & { bot_id: number };
export type FoldedAudit = Omit<NewAudit, 'chat'> & { bot_id: number; chat_id: number };

/** Rows that the effects of the batch refer to, as the database had them before it. */
export interface StoredBefore {
  /** By messageKey. */
  messages: Map<string, FoldedMessage>;
  /** Chat ids by chatNameKey. */
  chatNames: Map<string, number>;
  /** Supergroups with topics, by chatKey, of those that a message was copied to. */
  forums: Set<string>;
}

/** A batch's effects, folded so that each row is written once. Map keys are made by the functions below. */
export interface HistoryFold {
  before: StoredBefore;
  chats: Map<string, FoldedChat>;
  guessedChats: Map<string, FoldedChat>;
  authors: Map<string, FoldedAuthor>;
  messages: Map<string, FoldedMessage>;
  topics: Map<string, FoldedTopic>;
  /** By bot and id, the newest state of each. */
  polls: Map<string, FoldedPoll>;
  deletions: FoldedDeletion[];
  migrations: FoldedMigration[];
  /** The last one of each chat. */
  memberships: Map<string, Membership>;
  audits: FoldedAudit[];
  /** How many messages of the batch replaced another one of the batch with the same id. */
  replaced: number;
}

/** An empty fold over what the database already has. */
export function emptyFold(before: StoredBefore): HistoryFold {
  return {
    before,
    chats: new Map(),
    guessedChats: new Map(),
    authors: new Map(),
    messages: new Map(),
    topics: new Map(),
    polls: new Map(),
    deletions: [],
    migrations: [],
    memberships: new Map(),
    audits: [],
    replaced: 0,
  };
}

/** Names a message across bots; chats outside a business connection have '' for it. */
export function messageKey(bot_id: number, business_connection_id: string, chat_id: number, id: number): string {
  return `${bot_id} ${chat_id} ${id} ${business_connection_id}`;
}

/** Names a chat across bots. */
export function chatKey(bot_id: number, chat_id: number): string {
  return `${bot_id} ${chat_id}`;
}

/** Names a chat by its '@username' in lower case, across bots. */
export function chatNameKey(bot_id: number, name: string): string {
  return `${bot_id} ${name}`;
}

/** Adds one effect; effects of one bot must come in the order they happened. */
export function foldEffect(fold: HistoryFold, bot_id: number, effect: HistoryEffect): void {
  switch (effect.type) {
    case 'chat':
      foldChat(fold, { ...effect.chat, bot_id, direct: effect.direct }, effect.guessed);
      break;
    case 'author':
      foldAuthor(fold, { ...effect.user, bot_id, chat_id: effect.chat_id, seenAtS: effect.seenAtS });
      break;
    case 'message':
      foldMessage(fold, { ...effect.message, bot_id });
      break;
    case 'topic':
      foldTopic(fold, bot_id, effect.topic);
      break;
    case 'copy':
      foldCopy(fold, bot_id, effect.copy);
      break;
    case 'edit':
      foldEdit(fold, bot_id, effect);
      break;
    case 'delete':
      foldDeletion(fold, bot_id, effect);
      break;
    case 'membership': {
      const { chat_id, blocked, atS } = effect;
      fold.memberships.set(chatKey(bot_id, chat_id), { bot_id, chat_id, blocked, atS });
      break;
    }
    case 'poll':
      fold.polls.set(`${bot_id} ${effect.poll.id}`, { ...effect.poll, bot_id });
      break;
    case 'migrate':
      fold.migrations.push({ move: { bot_id, ...effect.move }, atS: effect.atS });
      break;
    case 'audit':
      foldAudit(fold, bot_id, effect.audit);
      break;
  }
}

/** A message's row when `next` is seen after `known`; the upsert in history-message-store.ts does the same. */
export function mergeMessage(known: FoldedMessage, next: FoldedMessage): FoldedMessage {
  const outgoing = known.outgoing || next.outgoing;
  const automatic = known.automatic ?? next.automatic;
  if (isAnother(known, next)) return { ...next, outgoing: next.edit_date === null ? next.outgoing : outgoing };
  const program_id = known.program_id ?? next.program_id;
  if (next.edit_date === null || next.edit_date < (known.edit_date ?? 0))
    return { ...known, outgoing, program_id, automatic };
  // The date comes with the text, because the search column is made of both.
  const { text, date, media_type, service, file_id, edit_date, details } = next;
  return { ...known, outgoing, program_id, automatic, text, date, media_type, service, file_id, edit_date, details };
}

/**
 * True if `next` is another message with the same id: the platform reuses an id only after it was reset. A later date
 * shows it; within one second other content does, if neither is an edit.
 */
function isAnother(known: FoldedMessage, next: FoldedMessage): boolean {
  if (next.date !== known.date) return next.date > known.date;
  if (next.edit_date !== null || known.edit_date !== null) return false;
  return next.text !== known.text || next.media_type !== known.media_type || next.user_id !== known.user_id;
}

function foldChat(fold: HistoryFold, chat: FoldedChat, guessed: boolean): void {
  const chats = guessed ? fold.guessedChats : fold.chats;
  const key = chatKey(chat.bot_id, chat.id);
  chats.set(key, { ...chat, direct: chat.direct || (chats.get(key)?.direct ?? chat.direct) });
  if (chat.username !== null) {
    fold.before.chatNames.set(chatNameKey(chat.bot_id, `@${chat.username.toLowerCase()}`), chat.id);
  }
}

function foldAuthor(fold: HistoryFold, author: FoldedAuthor): void {
  const key = `${author.bot_id} ${author.chat_id} ${author.id}`;
  const known = fold.authors.get(key);
  if (known === undefined || author.seenAtS >= known.seenAtS) fold.authors.set(key, author);
}

function foldTopic(fold: HistoryFold, bot_id: number, { chat, ...topic }: NewTopic): void {
  const chat_id = resolveChat(fold, bot_id, chat);
  if (chat_id === null) return;
  const key = `${chatKey(bot_id, chat_id)} ${topic.threadId}`;
  const known = fold.topics.get(key);
  fold.topics.set(key, {
    ...{ bot_id, chat_id, threadId: topic.threadId },
    made: merged(topic.made, known?.made ?? {}),
    changed: topic.changed === null ? (known?.changed ?? null) : merged(known?.changed ?? {}, topic.changed),
    messageAtS: Math.max(topic.messageAtS ?? 0, known?.messageAtS ?? 0) || null,
  });
}

/** Each fact from the later ones, where they have it. */
function merged(facts: TopicFacts, later: TopicFacts): TopicFacts {
  const known = Object.entries(later).filter(([, value]) => value !== undefined);
  return { ...facts, ...Object.fromEntries(known) };
}

function foldMessage(fold: HistoryFold, message: FoldedMessage): void {
  const key = messageKey(message.bot_id, message.business_connection_id, message.chat_id, message.id);
  const known = fold.messages.get(key);
  if (message.edit_date === null && fold.deletions.length > 0) forgetEarlierDeletion(fold, message);
  if (known !== undefined && message.edit_date === null && isAnother(known, message)) fold.replaced += 1;
  fold.messages.set(key, known === undefined ? message : mergeMessage(known, message));
}

/** A deletion from before the message's date was that of an older message with the same id. */
function forgetEarlierDeletion(
  fold: HistoryFold,
  { bot_id, business_connection_id, chat_id, id, date }: FoldedMessage,
) {
  fold.deletions = fold.deletions.filter(
    (deletion) =>
      deletion.id !== id ||
      deletion.bot_id !== bot_id ||
      deletion.business_connection_id !== business_connection_id ||
      (deletion.chat_id ?? chat_id) !== chat_id ||
      deletion.atMs >= date * 1000,
  );
}

function foldCopy(fold: HistoryFold, bot_id: number, copy: MessageCopy): void {
  const toChatId = resolveChat(fold, bot_id, copy.to);
  if (toChatId === null) return;
  // No other effect names this chat when it is known by its name only, and its message count must be updated.
  foldChat(fold, { ...guessedChat(toChatId), bot_id, direct: copy.base.business_connection_id === '' }, true);
  const fromChatId = resolveChat(fold, bot_id, copy.from);
  // Messages of General name no topic.
  const isOfGeneral = copy.details.thread_id === undefined && fold.before.forums.has(chatKey(bot_id, toChatId));
  const inTopic = isOfGeneral ? { ...copy.details, thread_id: GENERAL_TOPIC } : copy.details;
  for (const { sourceId, id } of copy.pairs) {
    const source =
      fromChatId === null || sourceId === null ? undefined : findMessage(fold, bot_id, fromChatId, sourceId);
    const takesCaption = copy.caption !== undefined && source?.media_type !== null;
    foldMessage(fold, {
      ...copy.base,
      bot_id,
      chat_id: toChatId,
      id,
      text: takesCaption ? (copy.caption ?? null) : (source?.text ?? null),
      media_type: source?.media_type ?? null,
      service: source?.service ?? null,
      file_id: source?.file_id ?? null,
      details: copiedDetails(source?.details ?? {}, inTopic, takesCaption),
    });
  }
}

function foldEdit(fold: HistoryFold, bot_id: number, { chat, id, changes }: HistoryEffect & { type: 'edit' }): void {
  const chat_id = resolveChat(fold, bot_id, chat);
  const known = chat_id === null ? undefined : findMessage(fold, bot_id, chat_id, id);
  if (known !== undefined) foldMessage(fold, editedMessage(known, changes));
}

function editedMessage(known: FoldedMessage, { text, medium, details, editedAtS }: MessageEdit): FoldedMessage {
  const { buttons, entities, ...others } = known.details ?? {};
  const kept = text === undefined && entities !== undefined ? { entities } : {};
  return {
    ...known,
    ...(text === undefined ? {} : { text }),
    ...(medium ?? {}),
    details: orNull({ ...others, ...kept, ...details }),
    edit_date: editedAtS,
  };
}

// A copy shows neither where its source came from, nor its buttons, and the platform gives it a thread and album anew.
function copiedDetails(source: MessageDetails, own: MessageDetails, takesCaption: boolean): MessageDetails | null {
  const { forward_origin, buttons, keyboard, thread_id, media_group_id, entities, ...file } = source;
  const { entities: ofCaption, ...ownDetails } = own;
  const shown = takesCaption ? ofCaption : entities;
  return orNull({ ...file, ...(shown === undefined ? {} : { entities: shown }), ...ownDetails });
}

// The source may be in this batch, as a message or as an edit, and in the database as well.
function findMessage(fold: HistoryFold, bot_id: number, chat_id: number, id: number): FoldedMessage | undefined {
  const key = messageKey(bot_id, '', chat_id, id);
  const stored = fold.before.messages.get(key);
  const folded = fold.messages.get(key);
  if (stored === undefined || folded === undefined) return folded ?? stored;
  return mergeMessage(stored, folded);
}

function foldDeletion(fold: HistoryFold, bot_id: number, effect: HistoryEffect & { type: 'delete' }): void {
  const { business_connection_id, chat, messageIds, atMs } = effect;
  const chat_id = chat === null ? null : resolveChat(fold, bot_id, chat);
  if (chat !== null && chat_id === null) return;
  for (const id of messageIds) fold.deletions.push({ bot_id, business_connection_id, chat_id, id, atMs });
}

// An action in an unknown chat is kept, too: under chat 0, with the chat's name in its details.
function foldAudit(fold: HistoryFold, bot_id: number, { chat, ...audit }: NewAudit): void {
  const chat_id = resolveChat(fold, bot_id, chat);
  const details = chat_id === null ? [chat, audit.details].filter((part) => part !== '').join(', ') : audit.details;
  fold.audits.push({ ...audit, bot_id, chat_id: chat_id ?? 0, details });
}

function guessedChat(id: number): ChatFacts {
  return { id, type: guessChatType(id), title: null, username: null, first_name: null, last_name: null };
}

function resolveChat(fold: HistoryFold, bot_id: number, chat: ChatRef): number | null {
  return typeof chat === 'number' ? chat : (fold.before.chatNames.get(chatNameKey(bot_id, chat)) ?? null);
}

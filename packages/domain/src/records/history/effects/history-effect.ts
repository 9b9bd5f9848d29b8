import type { AuditAction } from '@flotilla/contract/audit-actions.ts';
import type { Automatic } from '@flotilla/contract/messages.ts';
import type { GroupMove } from '@flotilla/telegram/group-move.ts';
import type { MessageDetails, PollDetails } from '@flotilla/telegram/message-details.ts';
import type { ChatFacts, SenderFacts } from '@flotilla/telegram/message-facts.ts';
import type { TopicFacts } from '@flotilla/telegram/message-topic.ts';
import type { Actor } from '../../../people/audit/actor.ts';
import type { AuditTarget } from '../../../people/audit/audited-action.ts';

/** A chat by its id, or as '@username' in lower case. */
export type ChatRef = number | string;

/** The row of a message, without the bot and the columns that the database fills. */
export interface NewMessage {
  business_connection_id: string;
  chat_id: number;
  id: number;
  user_id: number | null;
  username: string | null;
  first_name: string | null;
  last_name: string | null;
  text: string | null;
  /** Unix seconds, like edit_date. */
  date: number;
  media_type: string | null;
  /** The kind of a message without a medium: 'joined', 'location', …; null for a plain text. */
  service: string | null;
  file_id: string | null;
  reply_to_message_id: number | null;
  edit_date: number | null;
  outgoing: boolean;
  details: MessageDetails | null;
  /** The program that sent it with a token of its own, or in an answer to a delivery. */
  program_id: number | null;
  /** The automatic sender, so that it answers nobody. */
  automatic: Automatic | null;
}

export interface MessageCopy {
  from: ChatRef;
  to: ChatRef;
  /** Which message became which; null where the platform's answer does not tell. */
  pairs: { sourceId: number | null; id: number }[];
  /** The caption that replaces that of the source; undefined keeps it. */
  caption: string | null | undefined;
  /** Of the copy itself: the entities of its new caption, its thread and its buttons. */
  details: MessageDetails;
  /** The columns for who sent it, when, and in reply to which message. */
  base: Omit<NewMessage, 'chat_id' | 'id' | 'text' | 'media_type' | 'service' | 'file_id' | 'details'>;
}

/** The changes by an edit of an ephemeral message, of which the platform answers nothing. */
export interface MessageEdit {
  text?: string | null;
  medium?: { media_type: string; file_id: string | null };
  /** Entities of a new text, and the buttons, which each edit sets. */
  details: MessageDetails;
  editedAtS: number;
}

/** One change that an entry makes to a bot's history. Effects are found without a database and applied in order. */
export type HistoryEffect =
  /** `guessed`: only its id is known, so a row that exists already is kept as it is. */
  /** `direct`: it was seen by the bot itself, not through a business connection. */
  | { type: 'chat'; chat: ChatFacts; guessed: boolean; direct: boolean }
  | { type: 'author'; chat_id: number; user: SenderFacts; seenAtS: number }
  | { type: 'message'; message: NewMessage }
  | { type: 'topic'; topic: NewTopic }
  | { type: 'copy'; copy: MessageCopy }
  /** Only what is given changes; undefined keeps it. */
  | { type: 'edit'; chat: ChatRef; id: number; changes: MessageEdit }
  /** `chat` is null where the connection alone tells which messages are meant. */
  | { type: 'delete'; business_connection_id: string; chat: ChatRef | null; messageIds: number[]; atMs: number }
  /** True if the bot can write in the chat, since this moment (Unix seconds). */
  | { type: 'membership'; chat_id: number; blocked: boolean; atS: number }
  /** How a poll that was stored stands now. */
  | { type: 'poll'; poll: PollDetails }
  | { type: 'migrate'; move: GroupMove; atS: number }
  | { type: 'audit'; audit: NewAudit };

/** A topic that was seen. */
export interface NewTopic {
  chat: ChatRef;
  threadId: number;
  /** How it was made; it holds unless a change is known. */
  made: TopicFacts;
  changed: TopicFacts | null;
  /** Of the message in it, Unix seconds; null: there is none. */
  messageAtS: number | null;
}

export interface NewAudit {
  chat: ChatRef;
  business_connection_id: string;
  action: AuditAction;
  target: AuditTarget | null;
  details: string;
  /** Unix seconds. */
  dateS: number;
  captureKey: string;
  by: Actor;
}

/** The facts of a bot that the history needs. */
export interface HistoryBot {
  id: number;
  telegram_id: number;
  name: string;
  username: string;
  registration_id: string;
  manage_enabled: boolean;
}

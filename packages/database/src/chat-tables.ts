import type { Automatic } from '@flotilla/contract/messages.ts';
import type { ColumnType, Generated } from 'kysely';
import type { BigInt64 } from './column-types.ts';

export interface ChatsTable {
  bot_id: BigInt64;
  id: BigInt64;
  type: string;
  title: string | null;
  username: string | null;
  first_name: string | null;
  last_name: string | null;
  message_count: Generated<BigInt64>;
  updated_at: Generated<Date>;
  /** From chatSearchName. */
  search_name: Generated<string>;
  /** `last_date` in periods of 1024 s, for indexes. */
  last_period: Generated<BigInt64>;
  /** The date of the newest message that was stored, Unix seconds; 0: there was none. */
  last_date: Generated<BigInt64>;
  /** Of the newest message of a person; null: there was none. Events of the chat and presses of buttons are none. */
  last_incoming_date: BigInt64 | null;
  last_incoming_id: BigInt64 | null;
  /** Of the newest message of the bot, or of the owner of a business account; null: there was none. */
  last_answer_date: BigInt64 | null;
  last_answer_id: BigInt64 | null;
  /** The highest message id that was stored. A message with a higher one is new. */
  last_id: Generated<BigInt64>;
  /** The supergroup that this group became. */
  migrated_to_chat_id: BigInt64 | null;
  /** The account that looks after it. */
  assigned_to: BigInt64 | null;
  /** The newest message of a person when the chat was done; null: it is open. A newer one opens it. */
  done_date: BigInt64 | null;
  done_id: BigInt64 | null;
  /** Since when the bot cannot write there: it was blocked or removed. */
  blocked_at: Date | null;
  /** For which newest message sinks were told that the chat awaits an answer, and after how many minutes at most. */
  awaits_told_date: BigInt64 | null;
  awaits_told_minutes: number | null;
  /** True if the bot's own chat with the person is known, beside those of business connections; null: a release before left it open. */
  direct: boolean | null;
}

/** Conversations of business connections: people who write to the account of a connection. Their names are in `chats`. */
export interface BusinessChatsTable
  extends Omit<
    ChatsTable,
    | ('id' | 'type' | 'title' | 'username' | 'first_name' | 'last_name' | 'search_name' | 'updated_at')
    | ('last_id' | 'migrated_to_chat_id' | 'blocked_at' | 'direct')
  > {
  chat_id: BigInt64;
  business_connection_id: string;
}

/** Up to which message an account has read a chat. */
export interface ChatReadsTable {
  bot_id: BigInt64;
  chat_id: BigInt64;
  account_id: BigInt64;
  message_id: BigInt64;
  message_date: BigInt64;
}

/** The same of the conversation of a business connection. */
export interface BusinessChatReadsTable extends ChatReadsTable {
  business_connection_id: string;
}

/** Counts of messages by author, written only by the triggers of `messages`. */
export interface ChatAuthorsTable {
  bot_id: BigInt64;
  chat_id: BigInt64;
  user_id: BigInt64;
  /** The name in the messages. A chat that writes as itself is in no other table. */
  username: string | null;
  first_name: string | null;
  message_count: BigInt64;
}

export interface MessagesTable {
  bot_id: BigInt64;
  /** '' for messages outside a business connection. */
  business_connection_id: Generated<string>;
  chat_id: BigInt64;
  id: BigInt64;
  user_id: BigInt64 | null;
  username: string | null;
  first_name: string | null;
  last_name: string | null;
  text: string | null;
  /** Unix seconds, as the platform gives it. */
  date: BigInt64;
  media_type: string | null;
  file_id: string | null;
  reply_to_message_id: BigInt64 | null;
  /** Unix seconds of the newest edit seen. */
  edit_date: BigInt64 | null;
  deleted_at: Date | null;
  outgoing: Generated<boolean>;
  /** The kind of a message without a medium: 'joined', 'location', …. */
  service: string | null;
  /** JSON of what few messages have: entities, buttons, thread, album, file. */
  details: ColumnType<object | null, string | null, string | null>;
  /** The program that sent it, which may be deleted since. Null: nobody knows of one. */
  program_id: BigInt64 | null;
  /** JSON of what sent it by itself. Null: it is an answer, or of a person. */
  automatic: ColumnType<Automatic | null, string | null, string | null>;
  /** Of an event, whose id is negative: its place in its second. Null: that of its id. */
  position: BigInt64 | null;
}

export interface TopicsTable {
  bot_id: BigInt64;
  chat_id: BigInt64;
  thread_id: BigInt64;
  /** Null: not known. */
  name: string | null;
  /** RGB. */
  icon_color: number | null;
  /** '' is none; null: not known. */
  icon_custom_emoji_id: string | null;
  closed: Generated<boolean>;
  deleted: Generated<boolean>;
  /** The date of its newest message that was stored, Unix seconds; 0: there was none. */
  last_date: Generated<BigInt64>;
}

export interface ChatUsersTable {
  bot_id: BigInt64;
  chat_id: BigInt64;
  user_id: BigInt64;
  username: string | null;
  first_name: string | null;
  last_name: string | null;
  is_bot: Generated<boolean>;
  last_seen_at: Generated<Date>;
  /** The words of the names, for finding people. */
  search: string | null;
  /** The language of their app, an IETF tag; null: no message has said it since it is stored. */
  language_code: string | null;
}

/** The chats of a list for broadcasts. */
export interface ChatListEntriesTable {
  list_id: BigInt64;
  chat_id: BigInt64;
}

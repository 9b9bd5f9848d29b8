import { accountResource } from '@flotilla/contract/accounts.ts';
import { apiKeyResource } from '@flotilla/contract/api-keys.ts';
import { auditEntry } from '@flotilla/contract/audit.ts';
import { bot } from '@flotilla/contract/bots.ts';
import { broadcastResource } from '@flotilla/contract/broadcasts.ts';
import { chatView } from '@flotilla/contract/chat-views.ts';
import type { Column } from '@flotilla/contract/columns.ts';
import { deliveryResource } from '@flotilla/contract/deliveries.ts';
import { deliveryJob } from '@flotilla/contract/delivery-jobs.ts';
import { eventSink } from '@flotilla/contract/event-sinks.ts';
import { eventResource } from '@flotilla/contract/events.ts';
import { listResource } from '@flotilla/contract/lists.ts';
import type { Automatic } from '@flotilla/contract/messages.ts';
import { note } from '@flotilla/contract/notes.ts';
import { outboxEntry } from '@flotilla/contract/outbox.ts';
import { programTokenResource } from '@flotilla/contract/program-tokens.ts';
import { program } from '@flotilla/contract/programs.ts';
import { questionResource } from '@flotilla/contract/questions.ts';
import { replyResource } from '@flotilla/contract/replies.ts';
import type { Resource, Row } from '@flotilla/contract/resource.ts';
import { routingRule } from '@flotilla/contract/routing-rules.ts';
import { tagResource } from '@flotilla/contract/tags.ts';
import { upstream } from '@flotilla/contract/upstreams.ts';
import type { ColumnType, Generated, GeneratedAlways } from 'kysely';

/** A 64-bit integer column; every value we store is below 2^53 and is read as a number. */
type BigInt64 = number;
type CreatedAt = ColumnType<Date, Date | undefined, never>;

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

/** On how many messages a rule has acted; no row: on none. */
export interface RouteHitsTable {
  route_id: BigInt64;
  hits: BigInt64;
  last_hit_at: Date;
  /** The last record of the history stream that was counted: both parts of its id. */
  counted_ms: BigInt64;
  counted_seq: BigInt64;
}

export interface RouteLinksTable {
  target_bot_id: BigInt64;
  target_chat_id: BigInt64;
  target_message_id: BigInt64;
  /** '' for messages outside a business connection, like the source's. */
  target_business_connection_id: Generated<string>;
  source_bot_id: BigInt64;
  source_chat_id: BigInt64;
  source_message_id: BigInt64;
  source_business_connection_id: Generated<string>;
  expires_at: Date;
}

/** Lines of the journal of a reader, the newest first. */
export interface JournalPagesTable {
  key: string;
  bot_id: BigInt64;
  /** 'push', 'rules', 'program:<id>', or 'intake' for what was accepted. */
  reader: string;
  newest_at: Date;
  oldest_at: Date;
  first_update_id: BigInt64;
  last_update_id: BigInt64;
  /** How many attempts failed. */
  failed: number;
  lines: string;
}

export interface SecondFactorsTable {
  account_id: BigInt64;
  /** The secret of an authenticator app, sealed for the account. */
  totp_sealed: string;
  /** The step of the last code that was used; earlier ones count no more. */
  last_step: Generated<BigInt64>;
  /** SHA-256 of each recovery code that was not used. */
  recovery_hashes: ColumnType<string[], string | undefined, string>;
  /** null: it is being set up, and counts for nothing. */
  confirmed_at: Date | null;
  created_at: CreatedAt;
}

export interface AccountBotsTable {
  account_id: BigInt64;
  bot_id: BigInt64;
}

/** The activity of a bot in an hour; without a row, nothing. */
export interface ActivityHoursTable {
  /** 0: the whole fleet, with bots that were deleted since. Its row is written when those of all bots are. */
  bot_id: BigInt64;
  /** The start of the hour. */
  at: Date;
  received: BigInt64;
  delivered: BigInt64;
  failed: BigInt64;
  retried: BigInt64;
  calls: BigInt64;
  /** The most updates that waited at once; null where nobody looked. */
  waiting: BigInt64 | null;
}

/** Deleted bots and chats whose rows are still being removed in small steps. */
export interface DeletionsTable {
  id: GeneratedAlways<BigInt64>;
  bot_id: BigInt64;
  /** null: the whole bot. */
  chat_id: BigInt64 | null;
  /** For a chat: no reader sees messages dated before this (Unix seconds). Null for a bot. */
  before_date: BigInt64 | null;
  created_at: CreatedAt;
}

/** One row while changes are refused for maintenance. */
export interface MaintenanceTable {
  single: Generated<boolean>;
  /** '' for none. */
  reason: string;
  since: CreatedAt;
}

/** People whose data is being removed. */
export interface ErasuresTable {
  id: GeneratedAlways<BigInt64>;
  user_id: BigInt64;
  /** JSON of who asked for it, for the audit log. */
  actor: ColumnType<object, string, never>;
  created_at: CreatedAt;
  /** When a worker had last looked at every place; null: not yet. */
  passed_at: Date | null;
}

/** Months of messages outside their table, whose counts are being subtracted in the order of the messages' key. */
export interface ExpiredMonthsTable {
  /** The month's table. */
  name: string;
  /** All its messages are dated before this (Unix seconds). */
  until_date: BigInt64;
  /** The key of the last message that was subtracted. */
  after_bot: Generated<BigInt64>;
  after_connection: Generated<string>;
  after_chat: Generated<BigInt64>;
  after_id: Generated<BigInt64>;
  after_date: Generated<BigInt64>;
}

/** Complete backups of this database. */
export interface BackupsTable {
  /** The moment of the snapshot. */
  taken_at: Generated<Date>;
  /** 0: not known, as of a backup that another tool made. */
  bytes: Generated<BigInt64>;
}

/** One row: the installation that the database belongs to. It has none before the first process starts. */
export interface InstallationTable {
  single: Generated<boolean>;
  id: Generated<string>;
  /** `system_identifier` of the Postgres in which the row was written; null: it tells none. A copy is in another one. */
  server: string | null;
  /** The database in which the row was written; null: a restore wrote it. */
  database_oid: BigInt64 | null;
  /** The timeline of that Postgres when Redis was last known to belong to the installation. A promotion begins another one. */
  timeline: string | null;
  /** The moment of the backup that was restored, until somebody says that this database takes over. */
  restored_from: string | null;
  /** True until Redis has been told the id of an installation that takes over. */
  takes_redis: Generated<boolean>;
  /** The id that its Redis held before the installation took over; Redis holds it again if it loses its newest writes. */
  former_id: string | null;
  /** Since when it is in quarantine. */
  quarantined_at: Date | null;
}

/** The rows that retention last removed from a table, and those that wait until somebody confirms it. Numbers of rows are estimates. */
export interface RemovalsTable {
  table_name: string;
  /** The largest removal of the last 35 days; null: nothing worth mentioning. */
  last_rows: BigInt64 | null;
  /** When about as much was last removed; null: an earlier release noted it. */
  last_at: Date | null;
  waiting_rows: BigInt64 | null;
  /** Older rows would go. */
  waiting_before: Date | null;
  waiting_since: Date | null;
  /** So many may go within a day. */
  confirmed_rows: BigInt64 | null;
  confirmed_at: Date | null;
}

/** A fault of the moment that was reported, so that its end is told, too. */
export interface StandingEventsTable {
  bot_id: BigInt64;
  /** 0: the bot itself. */
  program_id: Generated<BigInt64>;
  kind: string;
  since: Generated<Date>;
}

/** Who may send from the outbox of a bot: the owner with this number. */
export interface OutboxClaimsTable {
  bot_id: BigInt64;
  claim: BigInt64;
}

/** Links that bind a chat to a program. */
export interface ProgramLinksTable {
  id: Generated<BigInt64>;
  program_id: BigInt64;
  /** SHA-256, hex. */
  token_hash: string;
  uses_left: number;
  expires_at: Date;
  created_at: CreatedAt;
}

/** Chats that were bound to programs by links. */
export interface ProgramChatsTable {
  program_id: BigInt64;
  bot_id: BigInt64;
  chat_id: BigInt64;
  /** `chats_revision` of the program when the chat was bound. */
  revision: BigInt64;
  /** Who opened the link; null: erased, or an anonymous administrator. */
  user_id: BigInt64 | null;
  user_name: Generated<string>;
  bound_at: Generated<Date>;
}

/** An entry of the audit log that waits for a sink. */
export interface AuditDeliveriesTable {
  id: Generated<BigInt64>;
  sink_id: BigInt64;
  entry_id: BigInt64;
  entry_date: BigInt64;
  queued_at: CreatedAt;
}

/** An event on its way to one sink. */
export interface EventDeliveriesTable {
  id: Generated<BigInt64>;
  sink_id: BigInt64;
  event_id: BigInt64;
  /** The time of the event, for the pace. */
  kind: string;
  bot_id: BigInt64 | null;
  program_id: BigInt64 | null;
  /** How many events of the same kind this one stands for, beside itself. */
  repeats: Generated<number>;
  due_at: Date;
  /** JSON of the failed tries; null: none has failed, and none is in flight. */
  retry: string | null;
  delivered_at: Date | null;
}

/** Tables whose columns their resource declares. */
export const DECLARED = {
  accounts: accountResource,
  api_keys: apiKeyResource,
  audit_log: auditEntry,
  bots: bot,
  broadcasts: broadcastResource,
  chat_lists: listResource,
  chat_views: chatView,
  dead_letters: deliveryResource,
  delivery_jobs: deliveryJob,
  event_sinks: eventSink,
  events: eventResource,
  notes: note,
  outbox: outboxEntry,
  program_tokens: programTokenResource,
  programs: program,
  questions: questionResource,
  replies: replyResource,
  routes: routingRule,
  tags: tagResource,
  upstreams: upstream,
};

/** JSON is given as text, or as an object; the driver would take a list for an array of Postgres. */
type Given<Value, Type> = Type extends 'jsonb' ? string | Exclude<Value, readonly unknown[]> : Value;
type ColumnIn<Of> = Of extends { stored: Column<infer Value, infer Type, infer Filled> }
  ? ColumnType<Value, Given<Value, Type> | (Filled extends true ? undefined : never), Given<Value, Type>>
  : never;
type TableOf<Of extends Resource> = { [Name in keyof Row<Of>]: ColumnIn<Of['fields'][Name]> };
type DeclaredTables = { [Name in keyof typeof DECLARED]: TableOf<(typeof DECLARED)[Name]> };

export interface Tables extends DeclaredTables {
  chats: ChatsTable;
  chat_reads: ChatReadsTable;
  business_chats: BusinessChatsTable;
  business_chat_reads: BusinessChatReadsTable;
  messages: MessagesTable;
  topics: TopicsTable;
  chat_authors: ChatAuthorsTable;
  chat_users: ChatUsersTable;
  chat_list_entries: ChatListEntriesTable;
  route_hits: RouteHitsTable;
  program_links: ProgramLinksTable;
  program_chats: ProgramChatsTable;
  route_links: RouteLinksTable;
  journal_pages: JournalPagesTable;
  account_bots: AccountBotsTable;
  second_factors: SecondFactorsTable;
  deletions: DeletionsTable;
  erasures: ErasuresTable;
  maintenance: MaintenanceTable;
  expired_months: ExpiredMonthsTable;
  activity_hours: ActivityHoursTable;
  backups: BackupsTable;
  installation: InstallationTable;
  removals: RemovalsTable;
  outbox_claims: OutboxClaimsTable;
  standing_events: StandingEventsTable;
  event_deliveries: EventDeliveriesTable;
  audit_deliveries: AuditDeliveriesTable;
}

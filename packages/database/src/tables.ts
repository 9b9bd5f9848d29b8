import { accountResource } from '@flotilla/contract/accounts.ts';
import { apiKeyResource } from '@flotilla/contract/api-keys.ts';
import { auditEntry } from '@flotilla/contract/audit.ts';
import { bot } from '@flotilla/contract/bots.ts';
import { broadcastResource } from '@flotilla/contract/broadcasts.ts';
import type { Column } from '@flotilla/contract/columns.ts';
import { deliveryResource } from '@flotilla/contract/deliveries.ts';
import { deliveryJob } from '@flotilla/contract/delivery-jobs.ts';
import { eventSink } from '@flotilla/contract/event-sinks.ts';
import { eventResource } from '@flotilla/contract/events.ts';
import { listResource } from '@flotilla/contract/lists.ts';
import { note } from '@flotilla/contract/notes.ts';
import { outboxEntry } from '@flotilla/contract/outbox.ts';
import { programTokenResource } from '@flotilla/contract/program-tokens.ts';
import { program } from '@flotilla/contract/programs.ts';
import { questionResource } from '@flotilla/contract/questions.ts';
import { replyResource } from '@flotilla/contract/replies.ts';
import type { Resource, Row } from '@flotilla/contract/resource.ts';
import { routingRule } from '@flotilla/contract/routing-rules.ts';
import { savedView } from '@flotilla/contract/saved-views.ts';
import { tagResource } from '@flotilla/contract/tags.ts';
import type { ColumnType, Generated } from 'kysely';
import type {
  BusinessChatReadsTable,
  BusinessChatsTable,
  ChatAuthorsTable,
  ChatListEntriesTable,
  ChatReadsTable,
  ChatsTable,
  ChatUsersTable,
  MessagesTable,
  TopicsTable,
} from './chat-tables.ts';
import type { BigInt64, CreatedAt } from './column-types.ts';
import type {
  BackupsTable,
  BotMovesTable,
  DeletionsTable,
  ErasuresTable,
  ExpiredMonthsTable,
  InstallationTable,
  MaintenanceTable,
  RemovalsTable,
} from './upkeep-tables.ts';

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
  /** The rule that sent it. Null for an answer to a routed message, and for links of older releases. */
  route_id: Generated<BigInt64 | null>;
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

export interface PasskeysTable {
  id: Generated<BigInt64>;
  account_id: BigInt64;
  name: string;
  /** Of the authenticator, in base64url; unique. */
  credential_id: string;
  /** COSE. */
  public_key: Buffer;
  /** The signature counter of its last use. */
  counter: BigInt64;
  /** The ways in which browsers reach it. */
  transports: ColumnType<PasskeyTransport[], string | undefined, string>;
  created_at: CreatedAt;
  last_used_at: Date | null;
}

/** WebAuthn, section 5.8.4. */
type PasskeyTransport = 'ble' | 'cable' | 'hybrid' | 'internal' | 'nfc' | 'smart-card' | 'usb';

export interface SecondFactorsTable {
  account_id: BigInt64;
  /** The secret of an authenticator app, sealed for the account; '' if it has passkeys alone. */
  totp_sealed: string;
  /** The step of the last code that was used; earlier ones count no more. */
  last_step: Generated<BigInt64>;
  /** SHA-256 of each recovery code that was not used. */
  recovery_hashes: ColumnType<string[], string | undefined, string>;
  /** null: a release before this one began to set it up; it counts for nothing. */
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
  saved_views: savedView,
  tags: tagResource,
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
  passkeys: PasskeysTable;
  deletions: DeletionsTable;
  erasures: ErasuresTable;
  bot_moves: BotMovesTable;
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

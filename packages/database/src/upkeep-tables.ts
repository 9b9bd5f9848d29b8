import type { MoveStep } from '@flotilla/contract/bot-moves.ts';
import type { ColumnType, Generated, GeneratedAlways } from 'kysely';
import type { BigInt64, CreatedAt } from './column-types.ts';

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

/** Moves of bots from one Bot API server to another; no more than one of a bot is not finished. */
export interface BotMovesTable {
  id: GeneratedAlways<BigInt64>;
  bot_id: BigInt64;
  from_upstream: string;
  to_upstream: string;
  step: Generated<MoveStep>;
  step_since: Generated<Date>;
  /** The time, and the reason for people, that it waits for; null and '' for nothing. */
  waits_until: Date | null;
  reason: Generated<string>;
  /** JSON of who asked for it, for the audit log. */
  actor: ColumnType<object, string, never>;
  /** Rises with every worker that takes the row: those before may not write it any more. */
  claim: Generated<BigInt64>;
  /** When a worker takes it next, or in place of one that has ended. */
  due_at: Generated<Date>;
  /** When logOut was called; null: it can be cancelled. */
  leaves_at: Date | null;
  left_at: Date | null;
  /** In the step log_out: since when every process can know of it; null: not surely yet. */
  known_since: Date | null;
  /** A server that the move was sent elsewhere from, where the bot may be logged in. */
  logs_out_of: string | null;
  created_at: CreatedAt;
  finished_at: Date | null;
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

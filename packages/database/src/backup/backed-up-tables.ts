import type { Tables } from '../tables.ts';

/**
 * A restored database has no backup yet, is another installation and is not under maintenance, nor does it know what became of a move, so none of these is part of a
 * backup. The journal is of the last day, and larger than what else a day leaves. Expired months are not listed: what is still
 * counted of them is backed up as messages.
 */
const IN_ORDER: Record<Exclude<keyof Tables, 'expired_months'>, boolean> = {
  bots: true,
  accounts: true,
  account_bots: true,
  second_factors: true,
  passkeys: true,
  api_keys: true,
  chats: true,
  chat_reads: true,
  business_chats: true,
  business_chat_reads: true,
  replies: true,
  messages: true,
  topics: true,
  chat_authors: true,
  chat_users: true,
  tags: true,
  notes: true,
  saved_views: true,
  routes: true,
  route_hits: true,
  programs: true,
  program_tokens: true,
  program_links: true,
  program_chats: true,
  route_links: true,
  audit_log: true,
  dead_letters: true,
  journal_pages: false,
  delivery_jobs: true,
  deletions: true,
  erasures: true,
  bot_moves: false,
  activity_hours: true,
  questions: true,
  outbox: true,
  outbox_claims: true,
  broadcasts: true,
  chat_lists: true,
  chat_list_entries: true,
  events: true,
  standing_events: true,
  event_sinks: true,
  event_deliveries: true,
  maintenance: false,
  audit_deliveries: true,
  backups: false,
  installation: false,
  removals: false,
};

/** Every table of this release but expired months. The code does not compile while one is missing. */
export const KNOWN_TABLES = Object.keys(IN_ORDER);
/** The tables that a backup contains, referenced ones first. */
export const BACKED_UP_TABLES = KNOWN_TABLES.filter((name) => IN_ORDER[name as keyof typeof IN_ORDER]);

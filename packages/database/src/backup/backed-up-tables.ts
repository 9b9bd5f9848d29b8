import type { Tables } from '../tables.ts';

const IN_ORDER: Record<keyof Tables, true> = {
  bots: true,
  accounts: true,
  account_bots: true,
  api_keys: true,
  chats: true,
  chat_reads: true,
  messages: true,
  chat_authors: true,
  chat_users: true,
  tags: true,
  routes: true,
  programs: true,
  program_tokens: true,
  route_links: true,
  audit_log: true,
  dead_letters: true,
  delivery_jobs: true,
  deletions: true,
  activity_hours: true,
  events: true,
  standing_events: true,
  event_sinks: true,
  event_deliveries: true,
};

/** Every table, referenced ones first. The code does not compile while a table is missing here. */
export const BACKED_UP_TABLES = Object.keys(IN_ORDER);

import type { Tables } from '../tables.ts';

const IN_ORDER: Record<Exclude<keyof Tables, 'expired_months'>, true> = {
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
};

/**
 * Every table, referenced ones first. The code does not compile while a table is missing here. Expired months are not listed:
 * what is still counted of them is backed up as messages.
 */
export const BACKED_UP_TABLES = Object.keys(IN_ORDER);

import type { PersonalPlace } from '@flotilla/contract/people.ts';
import { ACTIONS_ON_PEOPLE } from '@flotilla/database/audit-indexes.ts';
import type { Tables } from '@flotilla/database/tables.ts';
import { type RawBuilder, sql } from 'kysely';
import { ownAudience, ownLetter, ownLink, ownNote, ownQuestion } from './own-part.ts';
import { byId, journalByTime, messagesByChat, type Portions } from './portions.ts';

/** Rows of a person in a table. */
export type PersonalRows = {
  place: PersonalPlace;
  /** The condition of the rows. If they are changed and not deleted, the change makes it false. */
  of(userId: number): RawBuilder<boolean>;
  /** The order in which they are exported: a unique key, and the types of its columns. */
  key: readonly (readonly [column: string, type: string])[];
  /** 'delete', or the assignments of an update that takes the person out of the row. `mark` stands for the person. */
  erase: 'delete' | ((userId: number, mark: string) => RawBuilder<unknown>);
  /** The part of a row that an export has, if the row also holds data of others. Default: all of it. */
  show?(row: Record<string, unknown>, userId: number): Record<string, unknown>;
  /** The rows that one statement looks through. Default: all rows, which an index finds, or which are few. */
  portions?: Portions;
};

/** `stays`: a row may name a person, and is not removed. `without`: no row does. Both say why. */
export type PersonalTable = readonly PersonalRows[] | { stays: string } | { without: string };

const ID = [['id', 'bigint']] as const;
const BOT_CHAT = [
  ['bot_id', 'bigint'],
  ['chat_id', 'bigint'],
] as const;
const OF_ACCOUNT = [['account_id', 'bigint'], ...BOT_CHAT] as const;
const CONNECTION = ['business_connection_id', 'text'] as const;

/** In the order in which they are erased: people are found in chats by `chat_users` and `chat_authors`, which are the last. */
export const PERSONAL_TABLES: Record<keyof Tables, PersonalTable> = {
  // First, so that no broadcast takes the chat into its audience any more.
  chats: [
    { place: 'chats', key: [...BOT_CHAT.slice(0, 1), ...ID], erase: 'delete', of: (userId) => sql`id = ${userId}` },
  ],
  broadcasts: [
    {
      ...{ place: 'broadcasts', key: ID, show: ownAudience },
      of: (userId) => sql`audience -> 'chat_ids' @> ${`${userId}`}::jsonb`,
      erase: (userId) =>
        sql`audience = jsonb_set(audience, '{chat_ids}', ${withoutElement(sql`audience -> 'chat_ids'`, userId)})`,
    },
  ],
  chat_list_entries: [
    {
      ...{ place: 'broadcasts', erase: 'delete', of: (userId) => sql`chat_id = ${userId}` },
      key: [['list_id', 'bigint'] as const, ['chat_id', 'bigint'] as const],
    },
  ],
  outbox: [
    {
      ...{ place: 'outbox', key: ID },
      of: (userId) => sql`${inPrivateChat(userId)} and state in ('scheduled', 'queued', 'held')`,
      // The counts of a broadcast follow changes of entries, and no deletions.
      erase: () => sql`state = 'cancelled', settled_at = now()`,
    },
    {
      ...{ place: 'outbox', key: ID, erase: 'delete' },
      of: (userId) => sql`${inPrivateChat(userId)} and settled_at is not null`,
    },
  ],
  questions: [
    { place: 'questions', key: ID, erase: 'delete', of: (userId) => inPrivateChat(userId), show: ownQuestion },
    {
      ...{ place: 'questions', key: ID, show: ownQuestion, portions: byId('questions') },
      of: (userId) => sql`answered_by = ${userId}`,
      erase: () => sql`answered_by = null, answered_by_name = ''`,
    },
    {
      ...{ place: 'questions', key: ID, show: ownQuestion, portions: byId('questions') },
      of: (userId) => sql`allowed_user_ids @> ${`${userId}`}::jsonb`,
      erase: (userId) => sql`allowed_user_ids = ${withoutElement(sql`allowed_user_ids`, userId)}`,
    },
  ],
  dead_letters: [
    {
      ...{ place: 'dead_letters', key: ID, erase: 'delete', portions: byId('dead_letters'), show: ownLetter },
      of: (userId) => sql`(chat_id = ${userId} or strpos(payload, ${`${userId}`}) > 0
        and payload ~ ${`"(id|user_id|chat_id|user_chat_id)"\\s*:\\s*${userId}\\s*[,}]`})`,
    },
  ],
  journal_pages: [
    {
      ...{ place: 'journal', key: [['key', 'text']], portions: journalByTime },
      of: (userId) => sql`strpos(lines, ${`${userId}`}) > 0 and lines ~ ${`(?n)${lineOfChat(userId)}`}`,
      erase: (userId) => sql`lines = array_to_string(array(
        select line from regexp_split_to_table(lines, E'\\n') with ordinality as each (line, at)
        where line !~ ${lineOfChat(userId)} order by at), E'\\n')`,
      show: ({ lines, ...page }, userId) => {
        const ofChat = new RegExp(lineOfChat(userId));
        return {
          ...page,
          lines: `${lines}`
            .split('\n')
            .filter((line) => ofChat.test(line))
            .join('\n'),
        };
      },
    },
  ],
  events: [
    { place: 'events', key: ID, erase: 'delete', portions: byId('events'), of: (userId) => sql`chat_id = ${userId}` },
  ],
  route_links: [
    {
      ...{ place: 'links', erase: 'delete', show: ownLink },
      key: [
        ...[['target_bot_id', 'bigint'] as const, ['target_chat_id', 'bigint'] as const],
        ...[['target_message_id', 'bigint'] as const, ['target_business_connection_id', 'text'] as const],
      ],
      of: (userId) => sql`(target_bot_id = any (array(${ANY_BOT})) and target_chat_id = ${userId}
        or source_bot_id = any (array(${ANY_BOT})) and source_chat_id = ${userId})`,
    },
  ],
  tags: [
    {
      ...{ place: 'tags', key: ID, erase: 'delete' },
      of: (userId) => sql`(user_id = ${userId} or chat_id = ${userId})`,
    },
  ],
  notes: [{ place: 'notes', key: ID, erase: 'delete', of: (userId) => inPrivateChat(userId), show: ownNote }],
  audit_log: [
    {
      ...{ place: 'audit', key: ID },
      of: (userId) => inPrivateChat(userId),
      // 0: a chat whose id is not known.
      erase: (_, mark) => sql`chat_id = 0, target_id = null, target_username = null, details = ${mark}`,
    },
    {
      ...{ place: 'audit', key: ID },
      of: (userId) => sql`bot_id = any (array(${ANY_BOT})) and target_id = ${userId}
        and action in (${sql.raw(ACTIONS_ON_PEOPLE.map((action) => `'${action}'`).join(', '))})`,
      erase: (_, mark) => sql`target_id = null, target_username = ${mark}, details = ''`,
    },
    {
      ...{ place: 'audit', key: ID },
      of: (userId) => sql`action = 'person_export' and target_id = ${userId}`,
      erase: (_, mark) => sql`target_id = null, target_username = ${mark}`,
    },
  ],
  chat_reads: [{ place: 'chats', key: OF_ACCOUNT, erase: 'delete', of: (userId) => inPrivateChat(userId) }],
  business_chats: [
    { place: 'chats', key: [...BOT_CHAT, CONNECTION], erase: 'delete', of: (userId) => inPrivateChat(userId) },
  ],
  business_chat_reads: [
    { place: 'chats', key: [...OF_ACCOUNT, CONNECTION], erase: 'delete', of: (userId) => inPrivateChat(userId) },
  ],
  program_chats: [
    {
      ...{ place: 'chats', key: [['program_id', 'bigint'] as const, ['chat_id', 'bigint'] as const], erase: 'delete' },
      of: (userId) => inPrivateChat(userId),
    },
    {
      ...{ place: 'chats', key: [['program_id', 'bigint'] as const, ['chat_id', 'bigint'] as const] },
      of: (userId) => sql`user_id = ${userId}`,
      erase: () => sql`user_id = null, user_name = ''`,
    },
  ],
  topics: [
    {
      ...{ place: 'chats', key: [...BOT_CHAT, ['thread_id', 'bigint']], erase: 'delete' },
      of: (userId) => inPrivateChat(userId),
    },
  ],
  messages: [
    {
      ...{ place: 'messages', erase: 'delete', portions: messagesByChat },
      key: [['date', 'bigint'], ...ID, CONNECTION],
      // The portions say whose they are.
      of: () => sql`true`,
    },
  ],
  chat_authors: [
    {
      ...{ place: 'chats', key: [...BOT_CHAT, ['user_id', 'bigint']], erase: 'delete' },
      of: (userId) => sql`(user_id = ${userId} or ${inPrivateChat(userId)})`,
    },
  ],
  chat_users: [
    {
      ...{ place: 'chat_users', key: [...BOT_CHAT, ['user_id', 'bigint']], erase: 'delete' },
      of: (userId) => sql`(user_id = ${userId} or ${inPrivateChat(userId)})`,
    },
  ],

  bots: [
    {
      ...{
        place: 'bots',
        key: ID,
        show: ({ id, name, username, owner_user_id }) => ({ id, name, username, owner_user_id }),
      },
      of: (userId) => sql`owner_user_id = ${userId}`,
      // With a new revision, the configuration is published again.
      erase: () => sql`owner_user_id = null, revision = nextval('bot_revisions')`,
    },
  ],

  routes: { stays: 'rules that name a chat or a person: settings, which somebody must change' },
  programs: { stays: 'filters of programs that name a chat or a person: settings, which somebody must change' },
  program_tokens: { stays: 'chats that a token is limited to: settings, which somebody must change' },
  api_keys: { stays: 'chats that a key is limited to: settings, which somebody must change' },
  event_sinks: { stays: 'chats in which people are told of events: settings, which somebody must change' },
  accounts: { stays: 'accounts are of people who sign in; deleting an account removes it' },
  delivery_jobs: { stays: 'filters of redrives may name a chat; they go after a week' },

  saved_views: { stays: 'saved views that look for a name: settings of whoever saved them' },

  replies: { without: 'texts that people of the team send again and again' },
  chat_lists: { without: 'names of lists, and how many chats they have' },
  program_links: { without: 'hashes of links; the chats that were bound by them are listed above' },
  account_bots: { without: 'which accounts see which bots' },
  second_factors: { without: 'how accounts prove who they are' },
  passkeys: { without: 'how accounts prove who they are' },
  route_hits: { without: 'counts' },
  outbox_claims: { without: 'numbers of workers' },
  activity_hours: { without: 'counts' },
  deletions: { without: 'ids of chats that are being removed; a row goes with the last message' },
  bot_moves: { without: 'names of servers, and who had a bot moved' },
  erasures: { without: 'ids of people who are being erased; a row goes with the last of their data' },
  expired_months: { without: 'names of months; nobody can read their messages, and they are dropped within minutes' },
  maintenance: { without: 'if changes are refused for maintenance' },
  backups: { without: 'when backups were made' },
  installation: { without: 'which installation the database belongs to' },
  removals: { without: 'numbers of rows' },
  standing_events: { without: 'what is wrong with bots' },
  event_deliveries: { without: 'ids of events, with which they go' },
  audit_deliveries: { without: 'ids of entries of the audit log, for seven days at most' },
};

const ANY_BOT = sql`select id from bots`;

/** Found through an index that begins with bot and chat. */
function inPrivateChat(userId: number): RawBuilder<boolean> {
  return sql<boolean>`(bot_id = any (array(${ANY_BOT})) and chat_id = ${userId})`;
}

function withoutElement(array: RawBuilder<unknown>, userId: number): RawBuilder<unknown> {
  return sql`(select coalesce(jsonb_agg(each), '[]') from jsonb_array_elements(${array}) each where each <> ${`${userId}`}::jsonb)`;
}

/** Matches a line of the journal about the private chat: of an attempt, and of an update that was accepted (records/journal). */
export function lineOfChat(userId: number): string {
  return `^\\d+ \\d+ (${userId} |[pwrh] [01] \\S+ (${userId} |\\S+ \\S+ \\S*:${userId} ))`;
}

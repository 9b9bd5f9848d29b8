import type { ChatQueue } from '@flotilla/contract/chat-queues.ts';
import { type RawBuilder, sql } from 'kysely';
import type { Conversation } from './conversation.ts';

/** By how people work with chats. Undefined: all. */
export interface DeskFilter {
  /** The id of an account. */
  assigned_to?: number | 'none' | undefined;
  state?: 'open' | 'done' | undefined;
  awaits_answer?: boolean | undefined;
  /** Only these chats, or all others: `chats` are those that are held now. */
  held?: { chats: readonly Conversation[]; isHeld: boolean } | undefined;
  /** A tag of somebody in the chat, in any case. */
  tag?: string | undefined;
}

/** The filter of a queue of an account's inbox, where these chats are held. */
export function queueFilter(queue: ChatQueue, accountId: number, held: readonly Conversation[]): DeskFilter {
  switch (queue) {
    case 'waiting':
      return { awaits_answer: true };
    case 'mine':
      return { assigned_to: accountId, state: 'open' };
    case 'unassigned':
      return { awaits_answer: true, assigned_to: 'none' };
    case 'held':
      return { held: { chats: held, isHeld: true } };
    case 'done':
      return { state: 'done' };
    case 'all':
      return {};
  }
}

/** The conditions of a filter on rows of conversations, named `chat`. */
export function deskConditions(
  chat: string,
  { assigned_to, state, awaits_answer, held, tag }: DeskFilter,
): RawBuilder<boolean>[] {
  const assigned = column(chat, 'assigned_to');
  const conditions: (RawBuilder<boolean> | null)[] = [
    assigned_to === undefined
      ? null
      : assigned_to === 'none'
        ? sql`${assigned} is null`
        : sql`${assigned} = ${assigned_to}`,
    state === undefined ? null : state === 'done' ? isDone(chat) : sql`not ${isDone(chat)}`,
    awaits_answer === undefined ? null : awaits_answer ? awaits(chat) : sql`not ${awaits(chat)}`,
    held === undefined ? null : held.isHeld ? isAmong(chat, held.chats) : sql`not ${isAmong(chat, held.chats)}`,
    tag === undefined ? null : hasTag(chat, tag),
  ];
  return conditions.filter((condition) => condition !== null);
}

function hasTag(chat: string, tag: string): RawBuilder<boolean> {
  return sql`exists (
    select from tags t where t.bot_id = ${column(chat, 'bot_id')} and t.chat_id = ${column(chat, 'id')}
      and lower(t.tag) = lower(${tag}))`;
}

function isAmong(chat: string, chats: readonly Conversation[]): RawBuilder<boolean> {
  const [bots, ids] = [chats.map(({ bot_id }) => bot_id), chats.map(({ chat_id }) => chat_id)];
  const connections = chats.map(({ business_connection_id }) => business_connection_id);
  return sql`((${column(chat, 'bot_id')}, ${column(chat, 'id')}, ${column(chat, 'business_connection_id')}) in (
    select one.bot, one.chat, one.connection
    from unnest(${bots}::bigint[], ${ids}::bigint[], ${connections}::text[]) as one (bot, chat, connection)))`;
}

export function deskColumns(chat: string) {
  const name = sql<string | null>`(select coalesce(nullif(a.display_name, ''), a.username) from accounts a
    where a.id = ${column(chat, 'assigned_to')})`;
  return [isDone(chat).as('is_done'), awaits(chat).as('awaits_answer'), name.as('assigned_to_name')] as const;
}

export type ChatDesk = { is_done: boolean; awaits_answer: boolean; assigned_to_name: string | null };

/** Done until a person writes a newer message. */
function isDone(chat: string): RawBuilder<boolean> {
  return sql`(${column(chat, 'done_date')} is not null and ${isNotAfter(chat, 'last_incoming', 'done')})`;
}

/** True while neither the bot nor a person has answered the newest message. Nobody waits for an answer in a channel. */
export function awaits(chat: string, type: RawBuilder<unknown> = column(chat, 'type')): RawBuilder<boolean> {
  return sql`(${column(chat, 'last_incoming_date')} is not null and ${type} <> 'channel'
    and not ${isNotAfter(chat, 'last_incoming', 'last_answer')} and not ${isNotAfter(chat, 'last_incoming', 'done')})`;
}

/** True if the first position is not after the second. Without the first it is true, without the second alone it is false. */
function isNotAfter(chat: string, first: string, second: string): RawBuilder<boolean> {
  const [date, id] = [column(chat, `${first}_date`), column(chat, `${first}_id`)];
  const [otherDate, otherId] = [column(chat, `${second}_date`), column(chat, `${second}_id`)];
  return sql`(${date} is null or (${otherDate} is not null and (${date}, ${id}) <= (${otherDate}, ${otherId})))`;
}

function column(chat: string, name: string): RawBuilder<unknown> {
  return sql.ref(`${chat}.${name}`);
}

import { chatSearchName } from '@flotilla/database/chat-search-name.ts';
import type { Database } from '@flotilla/database/connect.ts';
import { sql } from 'kysely';
import { LAST_PERIOD_BITS } from '../history/history-chat-store.ts';
import { shownSince } from '../retention/deletion-store.ts';
import { STEP_ROWS, type StepDeps, takeSteps } from '../retention/take-steps.ts';
import type { Chat } from './chat-store.ts';

/** The newest message that the bot did not send is looked for among this many. */
const LOOKED_AT = 200;

/**
 * Fills in the columns by which chats are listed, where an earlier release left them empty, in small steps. Returns
 * 'done' when no chat is left.
 */
export async function fillChats(deps: StepDeps): Promise<'done' | 'elsewhere' | 'aborted'> {
  return takeSteps(deps, async (transaction) => {
    // Locked first: the next statement then sees every message whose writer has updated the chat.
    const chats = await unfilledChats(transaction, deps.stepRows ?? STEP_ROWS);
    if (chats.length === 0) return 'done';
    await fill(transaction, chats);
    return 'more';
  });
}

async function unfilledChats(db: Database, limit: number): Promise<Chat[]> {
  const { rows } = await sql<Chat>`
    select chats.* from chats
    join (select bot_id, id from chats where last_period is null limit ${limit}) as unfilled using (bot_id, id)
    where last_period is null order by bot_id, id for update of chats`.execute(db);
  return rows;
}

async function fill(db: Database, chats: Chat[]): Promise<void> {
  const chat = { botId: sql.ref('given.bot_id'), chatId: sql.ref('given.id') };
  const names = chats.map((row) => chatSearchName({ ...row, firstName: row.first_name, lastName: row.last_name }));
  await sql`
    update chats set search_name = filled.search_name, last_period = filled.last_date >> ${sql.lit(LAST_PERIOD_BITS)},
      last_date = filled.last_date, last_incoming_date = filled.incoming[1], last_incoming_id = filled.incoming[2]
    from (
      select given.bot_id, given.id, given.search_name, coalesce(newest.last_date, 0) as last_date, newest.incoming
      from unnest(${chats.map((row) => row.bot_id)}::bigint[], ${chats.map((row) => row.id)}::bigint[],
        ${names}::text[]) as given (bot_id, id, search_name)
      cross join lateral (
        select max(date) as last_date, max(array[date, id]) filter (where not outgoing) as incoming from (
          select m.date, m.id, m.outgoing from messages m
          where m.bot_id = given.bot_id and m.chat_id = given.id and m.date >= ${shownSince(chat)}
          order by m.date desc, m.id desc limit ${sql.lit(LOOKED_AT)}
        ) as seen
      ) as newest
    ) as filled
    where chats.bot_id = filled.bot_id and chats.id = filled.id`.execute(db);
}

import type { ChatOfBot } from '@flotilla/contract/chats.ts';
import type { Database } from '@flotilla/database/connect.ts';
import { type RawBuilder, sql } from 'kysely';
import { deletionStore, shownSince } from '../../fleet/bots/deletion-store.ts';
import { LAST_PERIOD_BITS } from '../history/history-chat-store.ts';
import { isAnswer, isOfPerson } from '../history/message-side.ts';

const AT_ONCE = 100;

/**
 * Says of a private chat that the release before has written whether the bot's own chat is known, and through which business
 * connections; takes apart who looks after it, up to where it is done and read. Reads the messages of the chat once.
 */
export async function settleConversations(db: Database, { bot_id, chat_id }: ChatOfBot): Promise<void> {
  if (!(await hasBusiness(db, bot_id))) {
    await sql`update chats set direct = true where bot_id = ${bot_id} and id = ${chat_id} and direct is null`.execute(
      db,
    );
    return;
  }
  await db.transaction().execute(async (transaction) => {
    // The lock excludes writers of this bot, which lock the two rows in the other order.
    await deletionStore(transaction).lockBot(bot_id);
    const unsettled = transaction
      .selectFrom('chats')
      .select('id')
      .where('bot_id', '=', bot_id)
      .where('direct', 'is', null);
    if ((await unsettled.where('id', '=', chat_id).executeTakeFirst()) === undefined) return;
    await sql`
      insert into business_chats as b (bot_id, chat_id, business_connection_id, message_count, last_date, last_period,
        last_incoming_date, last_incoming_id, last_answer_date, last_answer_id, assigned_to, done_date, done_id)
      select c.bot_id, c.id, m.connection, m.shown, m.last_date, m.last_date >> ${sql.lit(LAST_PERIOD_BITS)},
        m.incoming[1], m.incoming[2], m.answer[1], m.answer[2], c.assigned_to, c.done_date, c.done_id
      from (${newestOf(bot_id, chat_id)}) as m join chats c on c.bot_id = ${bot_id} and c.id = ${chat_id}
      where m.connection <> '' order by m.connection
      on conflict (bot_id, chat_id, business_connection_id) do update set
        message_count = excluded.message_count, last_date = excluded.last_date, last_period = excluded.last_period,
        last_incoming_date = excluded.last_incoming_date, last_incoming_id = excluded.last_incoming_id,
        last_answer_date = excluded.last_answer_date, last_answer_id = excluded.last_answer_id,
        assigned_to = coalesce(b.assigned_to, excluded.assigned_to),
        done_date = coalesce(b.done_date, excluded.done_date), done_id = coalesce(b.done_id, excluded.done_id)`.execute(
      transaction,
    );
    await sql`
      insert into business_chat_reads (account_id, bot_id, chat_id, business_connection_id, message_id, message_date)
      select r.account_id, r.bot_id, r.chat_id, b.business_connection_id, r.message_id, r.message_date
      from chat_reads r join business_chats b using (bot_id, chat_id)
      where r.bot_id = ${bot_id} and r.chat_id = ${chat_id} on conflict do nothing`.execute(transaction);
    await sql`
      with own as (
        select m.* from (values (1)) as one left join (${newestOf(bot_id, chat_id)}) as m on m.connection = ''
      ), known as (
        select own.*, own.connection is not null or not exists (
          select from business_chats b where b.bot_id = ${bot_id} and b.chat_id = ${chat_id}) as direct from own
      )
      update chats c set direct = known.direct, last_date = coalesce(known.last_date, 0),
        last_period = coalesce(known.last_date, 0) >> ${sql.lit(LAST_PERIOD_BITS)},
        last_incoming_date = known.incoming[1], last_incoming_id = known.incoming[2],
        last_answer_date = known.answer[1], last_answer_id = known.answer[2],
        assigned_to = case when known.direct then c.assigned_to end,
        done_date = case when known.direct then c.done_date end, done_id = case when known.direct then c.done_id end
      from known where c.bot_id = ${bot_id} and c.id = ${chat_id}`.execute(transaction);
  });
}

async function hasBusiness(db: Database, botId: number): Promise<boolean> {
  const messages = db.selectFrom('messages').select('id').where('bot_id', '=', botId);
  return (await messages.where('business_connection_id', '>', '').limit(1).executeTakeFirst()) !== undefined;
}

function newestOf(bot_id: number, chat_id: number): RawBuilder<unknown> {
  return sql`
    select m.business_connection_id as connection, count(*) filter (where m.deleted_at is null) as shown,
      coalesce(max(m.date) filter (where m.automatic is null), 0) as last_date, max(array[m.date, m.id]) filter (where ${isOfPerson('m')}) as incoming,
      max(array[m.date, m.id]) filter (where ${isAnswer('m')}) as answer
    from messages m
    where m.bot_id = ${bot_id} and m.chat_id = ${chat_id} and m.date >= ${shownSince({ bot_id, chat_id })} group by 1`;
}

/** Settles those chats of bots that have business connections. */
export async function settleAll(db: Database, signal: AbortSignal): Promise<void> {
  while (!signal.aborted && (await settleSome(db)) > 0);
}

async function settleSome(db: Database): Promise<number> {
  const { rows } = await sql<ChatOfBot>`
    with recursive bot (id) as (
      (select bot_id from chats where direct is null and type = 'private' order by bot_id limit 1)
      union all
      select (select c.bot_id from chats c where c.direct is null and c.type = 'private' and c.bot_id > bot.id
        order by c.bot_id limit 1) from bot where bot.id is not null
    ), of_business as materialized (
      select id from bot where exists (select from messages m where m.bot_id = bot.id and m.business_connection_id > '')
    )
    select c.bot_id, c.id as chat_id from of_business join chats c on c.bot_id = of_business.id
    where c.direct is null and c.type = 'private' limit ${AT_ONCE}`.execute(db);
  for (const chat of rows) await settleConversations(db, chat);
  return rows.length;
}

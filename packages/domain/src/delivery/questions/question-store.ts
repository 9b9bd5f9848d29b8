import type { Database } from '@flotilla/database/connect.ts';
import type { QuestionsTable } from '@flotilla/database/tables.ts';
import { type Selectable, sql } from 'kysely';
import { type Exact, type Scope, visibleTo } from '../../people/accounts/scope.ts';
import type { Question, QuestionState } from './question.ts';

export type QuestionToAsk = Pick<
  Question,
  'botId' | 'chatId' | 'businessConnectionId' | 'threadId' | 'text' | 'options' | 'allowedUserIds' | 'nonce'
> & { expiresInS: number };

/** Undefined fields do not filter. */
export type QuestionQuery = {
  botId?: number | undefined;
  chatId?: number | undefined;
  businessConnectionId?: string | undefined;
  state?: QuestionState | undefined;
};

/** SQL of questions. A question that is settled never changes its state again. */
export function questionStore(db: Database) {
  const open = (id: number) => db.updateTable('questions').where('id', '=', id).where('state', '=', 'open');
  const those = (scope: Scope, { botId, chatId, businessConnectionId, state }: QuestionQuery) => {
    let rows = db.selectFrom('questions').where(visibleTo(scope, 'bot_id'));
    if (botId !== undefined) rows = rows.where('bot_id', '=', botId);
    if (chatId !== undefined) rows = rows.where('chat_id', '=', chatId);
    if (businessConnectionId !== undefined) rows = rows.where('business_connection_id', '=', businessConnectionId);
    return state === undefined ? rows : rows.where('state', '=', state);
  };
  const settle = async (id: number, changes: { state: QuestionState; [column: string]: unknown }) => {
    const settled = open(id).set({ ...changes, settled_at: sql<Date>`now()` });
    const row = await settled.returningAll().executeTakeFirst();
    return row === undefined ? null : toQuestion(row);
  };
  return {
    async insert({ expiresInS, options, allowedUserIds, ...asked }: QuestionToAsk): Promise<Question> {
      const row = await db
        .insertInto('questions')
        .values({
          bot_id: asked.botId,
          chat_id: asked.chatId,
          business_connection_id: asked.businessConnectionId,
          thread_id: asked.threadId,
          text: asked.text,
          nonce: asked.nonce,
          options: jsonb<string[]>(options),
          allowed_user_ids: allowedUserIds === null ? null : jsonb<number[]>(allowedUserIds),
          expires_at: sql<Date>`now() + make_interval(secs => ${expiresInS})`,
        })
        .returningAll()
        .executeTakeFirstOrThrow();
      return toQuestion(row);
    },

    async find(id: number): Promise<Question | null> {
      const row = await db.selectFrom('questions').selectAll().where('id', '=', id).executeTakeFirst();
      return row === undefined ? null : toQuestion(row);
    },

    /** Newest first; `beforeId` starts below that question. */
    async list<Given extends QuestionQuery>(
      scope: Scope,
      query: Exact<QuestionQuery, Given>,
      page: { limit: number; offset: number; beforeId: number | null },
    ): Promise<Question[]> {
      let rows = those(scope, query).selectAll().orderBy('id', 'desc').limit(page.limit).offset(page.offset);
      if (page.beforeId !== null) rows = rows.where('id', '<', page.beforeId);
      return (await rows.execute()).map(toQuestion);
    },

    async count<Given extends QuestionQuery>(scope: Scope, query: Exact<QuestionQuery, Given>): Promise<number> {
      const { count } = await those(scope, query)
        .select((row) => row.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      return count;
    },

    async remove(id: number): Promise<void> {
      await db.deleteFrom('questions').where('id', '=', id).execute();
    },

    /** Whoever answered before the message was known could not show the end in it. */
    async setMessage(id: number, messageId: number): Promise<Question | null> {
      const set = db.updateTable('questions').set({ message_id: messageId, shown: false }).where('id', '=', id);
      const row = await set.returningAll().executeTakeFirst();
      return row === undefined ? null : toQuestion(row);
    },

    /** null when it was settled before. */
    answer: (id: number, chosen: number, by: { id: number; name: string }) =>
      settle(id, { state: 'answered', chosen, answered_by: by.id, answered_by_name: by.name }),

    cancel: (id: number) => settle(id, { state: 'cancelled' }),

    /** null when it was settled before, or has time left. */
    async expire(id: number): Promise<Question | null> {
      const late = open(id).where('expires_at', '<=', sql<Date>`now()`);
      const row = await late.set({ state: 'expired', settled_at: sql<Date>`now()` }).returningAll().executeTakeFirst();
      return row === undefined ? null : toQuestion(row);
    },

    /** Open ones whose time is over. */
    async late(limit: number): Promise<number[]> {
      const late = db
        .selectFrom('questions')
        .select('id')
        .where('state', '=', 'open')
        .where('expires_at', '<=', sql<Date>`now()`);
      return (await late.orderBy('expires_at').limit(limit).execute()).map(({ id }) => id);
    },

    /** Settled ones of enabled bots whose message may not show it, oldest first. Who settled them had some seconds to do so. */
    async unshown(afterS: number, limit: number): Promise<Question[]> {
      const rows = await db
        .selectFrom('questions')
        .selectAll()
        .where('settled_at', '<=', sql<Date>`now() - make_interval(secs => ${afterS})`)
        .where('shown', '=', false)
        .where('bot_id', 'in', db.selectFrom('bots').select('id').where('disabled', '=', false))
        .orderBy('settled_at')
        .limit(limit)
        .execute();
      return rows.map(toQuestion);
    },

    async noteShown(id: number): Promise<void> {
      await db.updateTable('questions').set({ shown: true }).where('id', '=', id).execute();
    },

    /** Removes those settled so long ago, some at a time. Returns how many. */
    async removeSettled(daysAgo: number, limit: number): Promise<number> {
      const old = db
        .selectFrom('questions')
        .select('id')
        .where('settled_at', '<', sql<Date>`now() - make_interval(days => ${daysAgo})`)
        .limit(limit);
      return Number((await db.deleteFrom('questions').where('id', 'in', old).executeTakeFirst()).numDeletedRows);
    },
  };
}

function jsonb<Value>(value: Value) {
  return sql<Value>`${JSON.stringify(value)}::jsonb`;
}

function toQuestion(row: Selectable<QuestionsTable>): Question {
  return {
    id: row.id,
    botId: row.bot_id,
    chatId: row.chat_id,
    businessConnectionId: row.business_connection_id,
    threadId: row.thread_id,
    text: row.text,
    options: row.options,
    allowedUserIds: row.allowed_user_ids,
    nonce: row.nonce,
    messageId: row.message_id,
    state: row.state,
    chosen: row.chosen,
    answeredBy: row.answered_by === null ? null : { id: row.answered_by, name: row.answered_by_name },
    expiresAt: row.expires_at,
    settledAt: row.settled_at,
    createdAt: row.created_at,
  };
}

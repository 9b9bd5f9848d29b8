import { type Question, questionResource } from '@flotilla/contract/questions.ts';
import { type Filters, storable } from '@flotilla/contract/resource.ts';
import type { Database } from '@flotilla/database/connect.ts';
import { filtered } from '@flotilla/database/filtered.ts';
import { sql } from 'kysely';
import { type Exact, type Scope, visibleTo } from '../../people/accounts/scope.ts';

export type QuestionToAsk = Pick<
  Question,
  ('bot_id' | 'chat_id' | 'business_connection_id' | 'thread_id') | ('text' | 'options' | 'allowed_user_ids' | 'nonce')
> & { expires_in_s: number } & Partial<Pick<Question, 'request_id' | 'traceparent'>>;

/** Undefined fields do not filter. */
export type QuestionQuery = Filters<typeof questionResource>;

/** SQL of questions. A question that is settled never changes its state again. */
export function questionStore(db: Database) {
  const open = (id: number) => db.updateTable('questions').where('id', '=', id).where('state', '=', 'open');
  const those = (scope: Scope, query: QuestionQuery) =>
    db.selectFrom('questions').where(visibleTo(scope, 'bot_id')).where(filtered(questionResource, query));
  const settle = async (id: number, changes: Pick<Question, 'state'> & Partial<Question>) => {
    const settled = open(id).set({ ...storable(questionResource, changes), settled_at: sql<Date>`now()` });
    return (await settled.returningAll().executeTakeFirst()) ?? null;
  };
  return {
    insert({ expires_in_s, ...question }: QuestionToAsk): Promise<Question> {
      const values = {
        ...storable(questionResource, question),
        expires_at: sql<Date>`now() + make_interval(secs => ${expires_in_s})`,
      };
      return db.insertInto('questions').values(values).returningAll().executeTakeFirstOrThrow();
    },

    async find(id: number): Promise<Question | null> {
      return (await db.selectFrom('questions').selectAll().where('id', '=', id).executeTakeFirst()) ?? null;
    },

    /** Newest first; `beforeId` starts below that question. */
    list<Given extends QuestionQuery>(
      scope: Scope,
      query: Exact<QuestionQuery, Given>,
      page: { limit: number; offset: number; beforeId: number | null },
    ): Promise<Question[]> {
      let rows = those(scope, query).selectAll().orderBy('id', 'desc').limit(page.limit).offset(page.offset);
      if (page.beforeId !== null) rows = rows.where('id', '<', page.beforeId);
      return rows.execute();
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
    async setMessage(id: number, message_id: number): Promise<Question | null> {
      const set = db.updateTable('questions').set({ message_id, shown: false }).where('id', '=', id);
      return (await set.returningAll().executeTakeFirst()) ?? null;
    },

    /** null when it was settled before. */
    answer: (id: number, chosen: number, by: { id: number; name: string }) =>
      settle(id, { state: 'answered', chosen, answered_by: by.id, answered_by_name: by.name }),

    cancel: (id: number) => settle(id, { state: 'cancelled' }),

    /** null when it was settled before, or has time left. */
    async expire(id: number): Promise<Question | null> {
      const late = open(id).where('expires_at', '<=', sql<Date>`now()`);
      const expired = late.set({ state: 'expired', settled_at: sql<Date>`now()` });
      return (await expired.returningAll().executeTakeFirst()) ?? null;
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
    unshown(afterS: number, limit: number): Promise<Question[]> {
      return db
        .selectFrom('questions')
        .selectAll()
        .where('settled_at', '<=', sql<Date>`now() - make_interval(secs => ${afterS})`)
        .where('shown', '=', false)
        .where('bot_id', 'in', db.selectFrom('bots').select('id').where('disabled', '=', false))
        .orderBy('settled_at')
        .limit(limit)
        .execute();
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

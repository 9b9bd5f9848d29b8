import { type RawBuilder, type SqlBool, sql } from 'kysely';

const inList = (labels: string) => sql`array(select jsonb_array_elements_text(${sql.ref(labels)}))`;

/** The ids of the bots that have one of the labels in this column. */
export function labelledBots(column: string): RawBuilder<number[]> {
  return sql<number[]>`(
    select coalesce(json_agg(b.id order by b.id), '[]') from bots b
    where ${sql.ref(column)} <> '[]' and b.labels ?| ${inList(column)})`;
}

/** The condition that the account `a` of a query sees a bot: by its role, by the bot's id or by a label. */
export function accountSees(botId: RawBuilder<unknown>): RawBuilder<SqlBool> {
  return sql<SqlBool>`(a.role = 'admin' or a.all_bots
    or exists (select from account_bots s where s.account_id = a.id and s.bot_id = ${botId})
    or exists (select from bots l where l.id = ${botId} and l.labels ?| ${inList('a.bot_labels')}))`;
}

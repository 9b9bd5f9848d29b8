import { settable, storable } from '@flotilla/contract/resource.ts';
import { type RoutingRuleRow, routingRule } from '@flotilla/contract/routing-rules.ts';
import type { Database } from '@flotilla/database/connect.ts';
import type { RouteHitsTable } from '@flotilla/database/tables.ts';
import { sql } from 'kysely';
import { CHOSEN_BOT } from '../../fleet/bots/active-rule.ts';
import { type Exact, type Scope, visibleTo } from '../../people/accounts/scope.ts';
import type { RoutingRule, RoutingRuleContent } from './routing-rule.ts';

/** Undefined fields do not filter. */
export interface RuleQuery {
  source_bot_id?: number | undefined;
  target_bot_id?: number | undefined;
  /** A part of the condition or of the description, in any case. */
  q?: string | undefined;
}

/** A rule that was not put in order runs by its id, after all that are older. */
const POSITION = sql<number>`coalesce(position, id)`;

/** SQL of routing rules. */
export function routingRuleStore(db: Database) {
  /** Those whose source bot is in the scope. */
  const rulesOf = (scope: Scope, { source_bot_id, target_bot_id, q }: RuleQuery) => {
    let rules = db.selectFrom('routes').where(visibleTo(scope, 'source_bot_id'));
    if (source_bot_id !== undefined) rules = rules.where('source_bot_id', '=', source_bot_id);
    if (target_bot_id !== undefined) rules = rules.where('target_bot_id', '=', target_bot_id);
    if (q !== undefined) {
      const part = `%${q.replace(/[\\%_]/g, '\\$&')}%`;
      rules = rules.where((row) => row.or([row('condition_value', 'ilike', part), row('description', 'ilike', part)]));
    }
    return rules;
  };
  const withHits = () =>
    db
      .selectFrom('routes')
      .leftJoin('route_hits', 'route_hits.route_id', 'routes.id')
      .selectAll('routes')
      .select(['hits', 'last_hit_at']);
  return {
    /** In the order they run; `after` is the position of the last rule of the previous page. */
    async list<Given extends RuleQuery>(
      scope: Scope,
      query: Exact<RuleQuery, Given>,
      page: { limit: number; offset: number; after: number | null },
    ): Promise<RoutingRule[]> {
      let rules = rulesOf(scope, query).select('id').orderBy(POSITION).limit(page.limit).offset(page.offset);
      if (page.after !== null) rules = rules.where(POSITION, '>', page.after);
      return (await withHits().where('id', 'in', rules).orderBy(POSITION).execute()).map(toRule);
    },

    async count<Given extends RuleQuery>(scope: Scope, query: Exact<RuleQuery, Given>): Promise<number> {
      const { count } = await rulesOf(scope, query)
        .select((row) => row.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      return count;
    },

    async find(id: number): Promise<RoutingRule | null> {
      const row = await withHits().where('id', '=', id).executeTakeFirst();
      return row === undefined ? null : toRule(row);
    },

    /** Like `find`, and locks the rule until the transaction ends. */
    async lock(id: number): Promise<RoutingRule | null> {
      const row = await withHits().where('id', '=', id).forUpdate('routes').executeTakeFirst();
      return row === undefined ? null : toRule(row);
    },

    /** All rules of a source bot, locked until the transaction ends, in the order they run. */
    async lockOfBot(sourceBotId: number): Promise<RoutingRule[]> {
      const rows = withHits().where('source_bot_id', '=', sourceBotId).forUpdate('routes');
      return (await rows.orderBy('id').execute()).map(toRule).sort((one, other) => one.position - other.position);
    },

    async place(id: number, position: number): Promise<void> {
      await db.updateTable('routes').set({ position }).where('id', '=', id).execute();
    },

    async insert(rule: RoutingRuleContent): Promise<RoutingRule> {
      const row = await db.insertInto('routes').values(valuesOf(rule)).returningAll().executeTakeFirstOrThrow();
      return toRule({ ...row, hits: null, last_hit_at: null });
    },

    async update(id: number, rule: RoutingRuleContent): Promise<RoutingRule> {
      await db.updateTable('routes').set(valuesOf(rule)).where('id', '=', id).execute();
      return toRule(await withHits().where('id', '=', id).executeTakeFirstOrThrow());
    },

    async remove(id: number): Promise<boolean> {
      return (await db.deleteFrom('routes').where('id', '=', id).executeTakeFirst()).numDeletedRows > 0n;
    },
  };
}

export function rowOf(rule: RoutingRuleContent) {
  const { target_bot_id } = rule;
  return { ...settable(routingRule, rule), target_bot_id: target_bot_id === CHOSEN_BOT ? null : target_bot_id };
}

function valuesOf(rule: RoutingRuleContent) {
  return storable(routingRule, rowOf(rule));
}

type RuleRow = RoutingRuleRow & { [Name in 'hits' | 'last_hit_at']: RouteHitsTable[Name] | null };

function toRule(row: RuleRow): RoutingRule {
  const { target_bot_id, hits, position } = row;
  return { ...row, target_bot_id: target_bot_id ?? CHOSEN_BOT, hits: hits ?? 0, position: position ?? row.id };
}

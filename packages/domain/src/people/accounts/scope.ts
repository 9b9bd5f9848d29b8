import { type SqlBool, sql } from 'kysely';
import type { Account } from './account.ts';
import type { ApiKey } from './api-key.ts';

/** Not exported, so that only this file makes a scope: nothing else fits the type. */
const MADE = Symbol('scope');

/** The bots whose rows a query may read or change. A filter only narrows it. */
export type Scope = { readonly bots: 'all' | ReadonlySet<number>; readonly [MADE]: true };

/** For the system's own work, such as turns, retention and figures; never for a call of somebody. */
export const EVERYTHING: Scope = { bots: 'all', [MADE]: true };

/** The bots of the account, narrowed by the key if one was used. */
export function scopeOf(account: Account, apiKey: ApiKey | null): Scope {
  const ofAccount = seesAllBots(account) ? EVERYTHING : within(EVERYTHING, bothOf(account));
  return !apiKey || apiKey.bot_ids === null ? ofAccount : within(ofAccount, bothOf(apiKey));
}

const bothOf = ({ bot_ids, labelled_bot_ids }: Pick<Account | ApiKey, 'bot_ids' | 'labelled_bot_ids'>) => [
  ...(bot_ids ?? []),
  ...labelled_bot_ids,
];

export function seesAllBots(account: Account): boolean {
  return account.role === 'admin' || account.all_bots;
}

export function sees({ bots }: Scope, botId: number): boolean {
  return bots === 'all' || bots.has(botId);
}

/** Those of these bots that are in the scope. */
export function within(scope: Scope, botIds: Iterable<number>): Scope {
  return { bots: new Set([...botIds].filter((id) => sees(scope, id))), [MADE]: true };
}

/** The condition that a row is in the scope; `column` has its bot. */
export function visibleTo({ bots }: Scope, column: string) {
  if (bots === 'all') return sql<SqlBool>`true`;
  const [only] = bots;
  // With one value the planner knows the frequency.
  if (bots.size === 1) return sql<SqlBool>`${sql.ref(column)} = ${only}`;
  return sql<SqlBool>`${sql.ref(column)} = any (${[...bots]}::bigint[])`;
}

/** A query that has no key beside its own: one with another name would filter nothing, and the rest would match. */
export type Exact<Query, Given extends Query> = Given & Record<Exclude<keyof Given, keyof Query>, never>;

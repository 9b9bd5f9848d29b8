import type { Database } from '@flotilla/database/connect.ts';
import { botStore } from '../../fleet/bots/bot-store.ts';
import type { ChangeRulesDeps } from '../../fleet/bots/change-rules.ts';
import { republishBots } from '../../fleet/bots/republish-bots.ts';
import { auditStore } from '../../people/audit/audit-store.ts';
import { type Followed, type GroupMove, movedGroupStore } from './moved-group-store.ts';

/**
 * Lets everything that is stored under a group's id follow it to its supergroup, with one audit entry, and notifies every
 * process. Of several calls, at once or later, one does it. Only what this bot sees and sends is changed.
 */
export async function moveGroup(deps: ChangeRulesDeps, move: GroupMove): Promise<void> {
  const atS = Math.floor(deps.clock.nowMs() / 1000);
  const isKnown = await movedGroupStore(deps.db).isKnown(move);
  const stored = isKnown ? [] : await deps.db.transaction().execute((transaction) => storeMove(transaction, move, atS));
  // Who stored it before may not have published it yet, and the caller's updates are judged by what is published.
  await republishBots(deps, stored.length > 0 ? stored : [move.bot_id]);
}

/**
 * The same in a transaction of the caller, at a time in Unix seconds. Returns the bots whose configuration changed; if the
 * caller does not publish it, upkeep does so within seconds.
 */
export async function storeMove(transaction: Database, move: GroupMove, atS: number): Promise<number[]> {
  const store = movedGroupStore(transaction);
  if (!(await store.lockBots(move)) || !(await store.point(move))) return [];
  const sources = await store.moveRules(move);
  const filters = await store.moveFilters(move);
  const bindings = await store.moveBindings(move);
  const tokens = await store.moveTokens(move);
  const keys = await store.moveKeys(move);
  const sinks = await store.moveSinks(move);
  const sends = await store.moveSends(move);
  const audiences = await store.moveAudiences(move);
  const followed = {
    rules: sources.length,
    filters,
    bindings,
    tokens,
    keys,
    sinks,
    sends,
    audiences,
    ...(await store.movePeople(move)),
  };
  const { bot_id, fromChatId: chat_id, toChatId } = move;
  // Even if nothing is bound to it: what is bound to the supergroup later also means the group's last updates.
  const changed = [...new Set([bot_id, ...sources])];
  await botStore(transaction).touch(changed);
  const done = {
    action: 'migrate',
    bot_id,
    chat_id,
    details: describeMove(toChatId, followed),
  } as const;
  const key = `migrate:${bot_id}:${chat_id}:${toChatId}`;
  await auditStore(transaction).insert({ kind: 'bot', address: null }, done, atS, key);
  return changed;
}

function describeMove(toChatId: number, followed: Followed): string {
  const counts = Object.entries(followed).filter(([, count]) => count > 0);
  return [`became ${toChatId}`, ...counts.map(([kind, count]) => `${kind}: ${count}`)].join('; ');
}

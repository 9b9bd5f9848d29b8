import { botKeys, channels, isHeld, SHARDS, shardKeys } from '@flotilla/redis/keys.ts';
import { stateFields } from '@flotilla/redis/state-fields.ts';
import type { WorkerContext } from '../context.ts';

const FORGOTTEN_AFTER_MS = 5_000;
const TOLD_AT_ONCE = 200;
const PENDING_KINDS = ['push', 'programs', 'rules', 'history'] as const;
type PendingKind = (typeof PENDING_KINDS)[number];

/** A pending turn that stays means that a wake was lost, with its process or on its way to the worker that holds the turn. */
export async function wakeForgottenTurns(deps: WorkerContext): Promise<void> {
  const nowMs = deps.clock.nowMs();
  const forgotten: Record<PendingKind, number[]> = { push: [], programs: [], rules: [], history: [] };
  const held: Record<PendingKind, number[]> = { push: [], programs: [], rules: [], history: [] };
  const untold: string[] = [];
  const shards = Array.from({ length: SHARDS }, (_, shard) => shardKeys(shard).pendingTurns);
  const found = await deps.redis.runMany(shards.map((pendingTurns) => ['zrange', pendingTurns, 0, -1, 'WITHSCORES']));
  for (const [shard, pending] of (found as string[][]).entries()) {
    for (let at = 0; at < pending.length; at += 2) {
      const sinceMs = Number(pending[at + 1]);
      const { kind, subject } = turnOf(pending[at]!, shard);
      if (isHeld(sinceMs) && nowMs < sinceMs) held[kind].push(subject);
      if (nowMs - sinceMs < FORGOTTEN_AFTER_MS) continue;
      forgotten[kind].push(subject);
      if (isHeld(sinceMs)) untold.push(pending[at]!);
    }
  }
  untold.push(...(await unseenByRules(deps, held.rules)));
  for (let from = 0; from < untold.length; from += TOLD_AT_ONCE) {
    await deps.redis.commands.publish(channels.turnNews, untold.slice(from, from + TOLD_AT_ONCE).join(' '));
  }
  for (const kind of PENDING_KINDS) {
    deps.measure.latePendingTurns.set({ kind }, forgotten[kind].length);
    await deps.turns[kind].ensure([...forgotten[kind], ...held[kind]]);
  }
}

/** The previous release does not notify held rules turns. The next release can remove this. */
async function unseenByRules({ redis }: WorkerContext, botIds: number[]): Promise<string[]> {
  const unread = await redis.runMany(botIds.map((id) => ['hget', botKeys(id).state, stateFields.rulesUnread]));
  return botIds.filter((_, at) => Number(unread[at] ?? 0) > 0).map((id) => `${id}:rules`);
}

/** A pending turn is `<bot id>:<kind>`, `<bot id>:program:<id>`, or `history` for the shard's. */
function turnOf(pending: string, shard: number): { kind: PendingKind; subject: number } {
  if (pending === 'history') return { kind: 'history', subject: shard };
  const [botId, kind, programId] = pending.split(':');
  if (kind === 'program') return { kind: 'programs', subject: Number(programId) };
  return { kind: kind === 'rules' ? 'rules' : 'push', subject: Number(botId) };
}

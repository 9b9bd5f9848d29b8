import { channels, HELD_TURN_PREFIX, SHARDS, shardKeys } from '@flotilla/redis/keys.ts';
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
  for (const [shard, members] of (found as string[][]).entries()) {
    const isHeld = new Set(members.filter((name) => name.startsWith(HELD_TURN_PREFIX)));
    for (let at = 0; at < members.length; at += 2) {
      const name = members[at]!;
      const { kind, subject } = turnOf(name.replace(HELD_TURN_PREFIX, ''), shard);
      if (isHeld.has(name)) {
        held[kind].push(subject);
      } else if (nowMs - Number(members[at + 1]) >= FORGOTTEN_AFTER_MS) {
        forgotten[kind].push(subject);
        if (isHeld.has(`${HELD_TURN_PREFIX}${name}`)) untold.push(name);
      }
    }
  }
  for (let from = 0; from < untold.length; from += TOLD_AT_ONCE) {
    await deps.redis.commands.publish(channels.turnNews, untold.slice(from, from + TOLD_AT_ONCE).join(' '));
  }
  for (const kind of PENDING_KINDS) {
    deps.measure.latePendingTurns.set({ kind }, forgotten[kind].length);
    await deps.turns[kind].ensure([...new Set([...forgotten[kind], ...held[kind]])]);
  }
}

/** A pending turn is `<bot id>:<kind>`, `<bot id>:program:<id>`, or `history` for the shard's. */
function turnOf(pending: string, shard: number): { kind: PendingKind; subject: number } {
  if (pending === 'history') return { kind: 'history', subject: shard };
  const [botId, kind, programId] = pending.split(':');
  if (kind === 'program') return { kind: 'programs', subject: Number(programId) };
  return { kind: kind === 'rules' ? 'rules' : 'push', subject: Number(botId) };
}

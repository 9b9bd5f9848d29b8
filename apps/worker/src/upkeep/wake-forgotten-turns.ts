import { channels, SHARDS, shardKeys } from '@flotilla/redis/keys.ts';
import { scripts } from '@flotilla/redis/script-calls.ts';
import type { WorkerContext } from '../context.ts';

const FORGOTTEN_AFTER_MS = 5_000;
/** The turn of a reader that finds no room sleeps no longer, and stays pending. */
const LONGEST_SLEEP_MS = 20_000;
const TOLD_AT_ONCE = 200;
const PENDING_KINDS = ['push', 'programs', 'rules', 'history'] as const;
type PendingKind = (typeof PENDING_KINDS)[number];

/** A pending turn that stays means that a wake was lost, with its process or on its way to the worker that holds the turn. */
export async function wakeForgottenTurns(deps: WorkerContext): Promise<void> {
  const forgotten: Record<PendingKind, number[]> = { push: [], programs: [], rules: [], history: [] };
  const held: Record<PendingKind, number[]> = { push: [], programs: [], rules: [], history: [] };
  const untold: string[] = [];
  const add = (turns: typeof held, name: string, shard: number) => {
    const { kind, subject } = turnOf(name, shard);
    turns[kind].push(subject);
  };
  const read = (shard: number) =>
    scripts.readPendingTurns(deps.redis.commands, shardKeys(shard), { forMs: FORGOTTEN_AFTER_MS });
  const found = await Promise.all(Array.from({ length: SHARDS }, (_, shard) => read(shard)));
  for (const [shard, turns] of found.entries()) {
    const isHeld = new Set(turns.held);
    for (const name of turns.held) add(held, name, shard);
    for (const name of turns.late) {
      add(forgotten, name, shard);
      if (isHeld.has(name)) untold.push(name);
    }
  }
  for (let from = 0; from < untold.length; from += TOLD_AT_ONCE) {
    await deps.redis.commands.publish(channels.turnNews, untold.slice(from, from + TOLD_AT_ONCE).join(' '));
  }
  for (const kind of PENDING_KINDS) {
    deps.measure.latePendingTurns.set({ kind }, forgotten[kind].length);
    await deps.turns[kind].ensure([...new Set([...forgotten[kind], ...held[kind]])], LONGEST_SLEEP_MS);
  }
}

/** A pending turn is `<bot id>:<kind>`, `<bot id>:program:<id>`, or `history` for the shard's. */
function turnOf(pending: string, shard: number): { kind: PendingKind; subject: number } {
  if (pending === 'history') return { kind: 'history', subject: shard };
  const [botId, kind, programId] = pending.split(':');
  if (kind === 'program') return { kind: 'programs', subject: Number(programId) };
  return { kind: kind === 'rules' ? 'rules' : 'push', subject: Number(botId) };
}

import { type AttentionKind, NO_ATTENTION } from '@flotilla/contract/attention.ts';
import type { BackendState } from '@flotilla/contract/backend-states.ts';
import { BOT_STATES, type BotState } from '@flotilla/contract/bots.ts';
import type { OutboxFigures } from '../../delivery/outbox/outbox-figures.ts';
import type { Attention } from '../../fleet/bot-list/attention.ts';
import type { ActivityCounts } from '../../records/activity/activity-counts.ts';

/** The outstanding work of the whole fleet at one moment. Bots are counted, never named. */
export type FleetFigures = {
  atMs: number;
  bots: Record<IntakeState, number>;
  /** Bots by the state in which a list shows them. */
  states: Record<BotState, number>;
  /** Bots by what is wrong with them. */
  attention: Record<AttentionKind, number>;
  backends: Record<BackendState, number>;
  /** Entries of the update logs. */
  log: Depth;
  /** Updates that wait for a reader. */
  backlog: Record<BacklogReader, Depth>;
  history: Depth & {
    /** When (ms) the oldest entry that is not in Postgres yet arrived; null when none waits. */
    oldestAtMs: number | null;
  };
  /** null while Postgres is away. */
  outbox: OutboxFigures | null;
  /** null while Postgres is away. */
  deadLetters: number | null;
  /** The activity of the fleet per second, on average over the last complete minute. */
  rates: ActivityCounts;
};

/** The sum, and the figure of the bot (for history: the shard) that has most. */
export type Depth = { total: number; largest: number };

const INTAKE_STATES = ['polled', 'polling_failing', 'pushed', 'webhook_failing', 'disabled'] as const;
export type IntakeState = (typeof INTAKE_STATES)[number];
export type BacklogReader = 'push' | 'pull' | 'rules';

export function noFigures(atMs: number): Omit<FleetFigures, 'outbox' | 'deadLetters' | 'rates'> {
  const depth = () => ({ total: 0, largest: 0 });
  return {
    atMs,
    bots: { polled: 0, polling_failing: 0, pushed: 0, webhook_failing: 0, disabled: 0 },
    states: noStates(),
    attention: { ...NO_ATTENTION },
    backends: { ok: 0, failing: 0, open: 0 },
    log: depth(),
    backlog: { push: depth(), pull: depth(), rules: depth() },
    history: { ...depth(), oldestAtMs: null },
  };
}

export function noStates(): Record<BotState, number> {
  return Object.fromEntries(BOT_STATES.map((state) => [state, 0])) as Record<BotState, number>;
}

/** Counts a bot once for each kind. */
export function countAttention(counts: Record<AttentionKind, number>, attention: readonly Attention[]): void {
  for (const kind of new Set(attention.map(({ kind }) => kind))) counts[kind] += 1;
}

export function deepen(depth: Depth, by: number): void {
  depth.total += by;
  depth.largest = Math.max(depth.largest, by);
}

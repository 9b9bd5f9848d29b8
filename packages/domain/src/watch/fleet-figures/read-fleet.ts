import { type AttentionKind, NO_ATTENTION } from '@flotilla/contract/attention.ts';
import type { BotState } from '@flotilla/contract/bots.ts';
import { countDeadLetters } from '../../delivery/deliveries/count-dead-letters.ts';
import type { StatusColumns } from '../../fleet/bot-list/status-columns.ts';
import type { Bot } from '../../fleet/bots/bot.ts';
import { type Caller, seesBot } from '../../people/accounts/caller.ts';
import { within } from '../../people/accounts/scope.ts';
import type { ActivityCounts } from '../../records/activity/activity-counts.ts';
import { readBotRates, readFleetRates } from '../../records/activity/read-fleet-rates.ts';
import { countAttention, noStates } from './fleet-figures.ts';
import { type FigureDeps, RATES_OVER_MINUTES, readFigures } from './gather-figures.ts';
import { type Replica, readReplicas } from './replicas.ts';

/** The bots that somebody sees, in figures. */
export type FleetSummary = {
  takenAtMs: number;
  states: Record<BotState, number>;
  /** Bots by what is wrong with them, at this moment. */
  attention: Record<AttentionKind, number>;
  /** The most frequent labels, by name. */
  labels: { label: string; bots: number }[];
  /** Updates that wait for the backends and the default poll consumers. */
  pending: number;
  /** null: Postgres could not be asked. */
  deadLetters: number | null;
  /** The activity of these bots per second, over the last complete minute; null for a caller of very many bots, but not all. */
  rates: ActivityCounts | null;
  /** null for everybody but admins of the whole fleet. */
  replicas: Replica[] | null;
};

/** Each of these bots costs a read. */
const RATED_BOTS = 500;
/** In a small fleet, people look for the bot that they have just added. */
const SMALL_FLEET = 500;
const LABELS_SHOWN = 100;

export type ReadDeps = FigureDeps & { statusColumns: StatusColumns };

/**
 * The figures of the caller's bots. For the whole fleet, they are those that a worker gathered last. They are counted now
 * for a caller who sees only some bots, while no worker gathers any, and if bots came to or left a small fleet since.
 */
export async function readFleet(deps: ReadDeps, caller: Caller): Promise<FleetSummary> {
  const isWhole = caller.scope.bots === 'all';
  const bots = deps.directory.all().filter((bot) => seesBot(caller, bot.id));
  const [gathered, attention, replicas] = await Promise.all([
    isWhole ? gatheredFleet(deps) : null,
    countedAttention(deps, bots),
    isWhole && caller.role === 'admin' ? readReplicas(deps) : null,
  ]);
  return { ...(gathered ?? (await presentFleet(deps, caller, bots))), attention, labels: countLabels(bots), replicas };
}

function countLabels(bots: readonly Bot[]): FleetSummary['labels'] {
  const counts = new Map<string, number>();
  for (const { labels } of bots) for (const label of labels) counts.set(label, (counts.get(label) ?? 0) + 1);
  const most = [...counts].sort(([, one], [, other]) => other - one).slice(0, LABELS_SHOWN);
  const { compare } = new Intl.Collator('en', { numeric: true });
  return most.map(([label, count]) => ({ label, bots: count })).sort((one, other) => compare(one.label, other.label));
}

async function countedAttention({ statusColumns }: ReadDeps, bots: Bot[]): Promise<FleetSummary['attention']> {
  const counts = { ...NO_ATTENTION };
  for (const attention of (await statusColumns.attention(bots)).value) countAttention(counts, attention);
  return counts;
}

type Figures = Omit<FleetSummary, 'attention' | 'labels' | 'replicas'>;

async function gatheredFleet(deps: ReadDeps): Promise<Figures | null> {
  const figures = await readFigures(deps);
  if (figures === null) return null;
  const bots = deps.directory.all().length;
  const counted = Object.values(figures.states).reduce((sum, count) => sum + count, 0);
  if (counted !== bots && bots <= SMALL_FLEET) return null;
  const { atMs, states, backlog, deadLetters, rates } = figures;
  return {
    takenAtMs: atMs,
    states,
    pending: backlog.push.total + backlog.pull.total,
    deadLetters,
    rates,
  };
}

async function presentFleet(deps: ReadDeps, caller: Caller, bots: Bot[]): Promise<Figures> {
  const isWhole = caller.scope.bots === 'all';
  const [found, pending, deadLetters, rates] = await Promise.all([
    deps.statusColumns.states(bots),
    deps.statusColumns.pending(bots),
    countDeadLetters(
      deps,
      isWhole
        ? caller.scope
        : within(
            caller.scope,
            bots.map(({ id }) => id),
          ),
    ),
    isWhole ? readFleetRates(deps, RATES_OVER_MINUTES) : ratesOf(deps, bots),
  ]);
  const states = noStates();
  for (const state of found.value) states[state] += 1;
  return {
    takenAtMs: Math.min(found.atMs, pending.atMs),
    states,
    pending: pending.value.reduce((sum, count) => sum + count, 0),
    deadLetters,
    rates,
  };
}

async function ratesOf(deps: ReadDeps, bots: Bot[]): Promise<ActivityCounts | null> {
  if (bots.length > RATED_BOTS) return null;
  return readBotRates(
    deps,
    bots.map(({ id }) => id),
    RATES_OVER_MINUTES,
  );
}

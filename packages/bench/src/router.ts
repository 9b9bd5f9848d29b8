import { setTimeout as delay } from 'node:timers/promises';
import { type Fleet, type FleetBot, startFleet } from '@flotilla/testing/fleet/fleet.ts';
import { readMetric } from '@flotilla/testing/fleet/read-metric.ts';
import { choose, startModelServer } from '@flotilla/testing/model-server.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import { type LagSink, startLagSink } from './lag-sink.ts';
import { percentile } from './percentile.ts';
import { ms, type Row, report } from './report.ts';

/** Of 1,000 messages a second a hundredth goes to the router; its model takes 5 s. */
const BOTS = 20;
const PER_SECOND = { pushed: 985, asked: 10, ruled: 5 };
const MODEL_TAKES_MS = 5_000;
const SECONDS = 20;
const ROUNDS = 3;
/** The chats that are asked about in one round, since a choice holds in its chat. */
const ASKED_CHATS = PER_SECOND.asked * SECONDS;
/** Each takes one message a second, so that the pace of the platform delays none. */
const DESKS = 10;

/** Measures what updates and the messages of other rules wait beside a slow model, in turn with what they wait without it. */
export async function benchRouter(database: { url: string }): Promise<void> {
  const model = await startModelServer(async (question) => {
    await delay(MODEL_TAKES_MS);
    return choose(question, 'nobody');
  });
  const sink = await startLagSink();
  const settings = {
    LOG_LEVEL: 'warn',
    LLM_API_URL: model.url,
    LLM_MODEL: 'slow',
    LLM_CALLS_PER_BOT_DAY: '1000000',
    LLM_ALLOWED_CIDRS: '127.0.0.0/8',
  };
  const fleet = await startFleet({ apis: 1, workers: 1 }, settings, database);
  try {
    const scene = await prepare(fleet, sink);
    await oneRound(fleet, sink, scene);
    const rounds: Record<'without' | 'with', Round[]> = { without: [], with: [] };
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const kind of ['without', 'with'] as const) {
        await fleet.rest('/api/routes/update', { id: scene.routerId, enabled: kind === 'with' });
        rounds[kind].push(await oneRound(fleet, sink, scene));
      }
    }
    report(`1,000 updates/s, of which ${PER_SECOND.asked} reach a model that takes 5 s`, [
      ...rowsOf('without the router', rounds.without),
      ...rowsOf('with it', rounds.with),
      { what: 'questions to the model', figure: String(model.questions.length) },
    ]);
  } finally {
    await fleet.stop();
    await Promise.all([sink.stop(), model.stop()]);
  }
}

type Scene = { pushed: FleetBot[]; source: FleetBot; routerId: number };

async function prepare(fleet: Fleet, sink: LagSink): Promise<Scene> {
  const backend = (at: number) => ({ proxy_enabled: true, backend_url: `${sink.url}${at}` });
  const pushed: FleetBot[] = [];
  for (let at = 0; at < BOTS; at += 1) pushed.push(await fleet.addBot(backend(at)));
  const source = await fleet.addBot(backend(BOTS));
  const target = await fleet.addBot({ description: 'Orders and parcels' });
  for (let desk = 0; desk < DESKS; desk += 1) {
    const { id } = await fleet.control.createPerson({ firstName: 'Desk' });
    await fleet.control.startBot({ person: id, bot: target.platformId, quietly: true });
    await addRule(fleet, source, target.id, { condition_type: 'text', condition_value: `^rule\\d*${desk} `, chat: id });
  }
  const { id: routerId } = await addRule(fleet, source, 0, { condition_type: 'llm', chat: 0 });
  return { pushed, source, routerId };
}

function addRule(
  fleet: Fleet,
  source: FleetBot,
  target: number,
  { chat, ...condition }: { chat: number; [field: string]: unknown },
) {
  return fleet.rest<{ id: number }>('/api/routes/add', {
    source_bot_id: source.id,
    target_bot_id: target,
    action: 'copy',
    target_chat_id: chat,
    ...condition,
  });
}

/** Times in ms; `ruled` is the upper bound of the bucket that the metric of routing has. */
type Round = { pushedP50: number; pushedP99: number; ruledP99: number };

async function oneRound(fleet: Fleet, sink: LagSink, { pushed, source }: Scene): Promise<Round> {
  const { generate } = fleet.control;
  const before = await routed(fleet);
  sink.reset();
  const counts = { pushed: PER_SECOND.pushed * SECONDS, asked: ASKED_CHATS, ruled: PER_SECOND.ruled * SECONDS };
  const bot = source.platformId;
  await Promise.all([
    generate({
      bots: pushed.map(({ platformId }) => platformId),
      chats: 10,
      count: counts.pushed,
      perSecond: PER_SECOND.pushed,
    }),
    generate({ bots: [bot], chats: ASKED_CHATS, count: counts.asked, perSecond: PER_SECOND.asked, prefix: 'ask ' }),
    generate({ bots: [bot], chats: 1, count: counts.ruled, perSecond: PER_SECOND.ruled, prefix: 'rule' }),
  ]);
  const all = counts.pushed + counts.asked + counts.ruled;
  await waitFor(() => sink.count() >= all, { timeoutMs: 300_000, message: `${all} updates` });
  const isAsked = async () =>
    (await fleet.rest<{ enabled: boolean }[]>(`/api/routes?bot_id=${source.id}`)).at(-1)?.enabled;
  const wanted = counts.ruled + ((await isAsked()) ? counts.asked : 0);
  await waitFor(async () => (await routed(fleet)).all - before.all >= wanted, {
    timeoutMs: 300_000,
    message: 'the messages of rules being sent',
  });
  const after = await routed(fleet);
  const within = (bound: number) => (after.byBound.get(bound) ?? 0) - (before.byBound.get(bound) ?? 0);
  const ruledP99 = BOUNDS_S.find((bound) => within(bound) >= 0.99 * counts.ruled) ?? Number.POSITIVE_INFINITY;
  const lags = sink.lags();
  return { pushedP50: percentile(lags, 50), pushedP99: percentile(lags, 99), ruledP99: ruledP99 * 1000 };
}

/** Bounds of the buckets below the time that the model takes. */
const BOUNDS_S = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];

/** How many messages were routed, by the upper bound of what they waited (s). */
async function routed(fleet: Fleet): Promise<{ all: number; byBound: Map<number, number> }> {
  const worker = fleet.workers[0]!;
  const byBound = new Map<number, number>();
  for (const bound of BOUNDS_S) {
    byBound.set(bound, (await readMetric(worker, 'flotilla_routing_lag_seconds_bucket', { le: String(bound) })) ?? 0);
  }
  return { all: (await readMetric(worker, 'flotilla_routing_lag_seconds_count')) ?? 0, byBound };
}

function rowsOf(what: string, rounds: Round[]): Row[] {
  const row = (name: string, figures: number[]): Row => ({
    what: `${what}: ${name}`,
    figure: `${ms(percentile(figures, 50))} (${figures.map(ms).join(', ')})`,
  });
  return [
    row(
      'pushed, p50',
      rounds.map(({ pushedP50 }) => pushedP50),
    ),
    row(
      'pushed, p99',
      rounds.map(({ pushedP99 }) => pushedP99),
    ),
    row(
      'other rules, p99 at most',
      rounds.map(({ ruledP99 }) => ruledP99),
    ),
  ];
}

import { z } from 'zod';
import { ACTIVITY_COUNTS } from './activity.ts';
import { ATTENTION, ATTENTION_KINDS, type AttentionKind, NO_ATTENTION } from './attention.ts';
import { BOT_STATES } from './bots.ts';
import { defineOperation } from './operation.ts';

const STATE_MEANINGS = {
  ok: 'updates come in, and the backend works or there is none',
  failing: 'the last attempts at the backend failed',
  open: 'the backend is unreachable, has failed for 10 s, and is retried every 2 to 60 s',
  disabled: 'switched off',
  not_polled: 'enabled, but no updates come in',
} as const satisfies Record<(typeof BOT_STATES)[number], string>;

const states = z
  .strictObject(
    Object.fromEntries(
      BOT_STATES.map((state) => [state, z.int().describe(`Bots of this state: ${STATE_MEANINGS[state]}.`)]),
    ) as {
      [State in (typeof BOT_STATES)[number]]: z.ZodInt;
    },
  )
  .describe('Bots by state. Each bot is in one of them.');

const attention = z
  .strictObject(
    Object.fromEntries(
      ATTENTION_KINDS.map((kind) => [kind, z.int().describe(`Bots of which ${ATTENTION[kind].text}.`)]),
    ) as {
      [Kind in AttentionKind]: z.ZodInt;
    },
  )
  .describe('Bots by what is wrong with them. A bot may be in several, or in none.');

const perSecond = (name: keyof typeof ACTIVITY_COUNTS) => z.number().describe(`Per second: ${ACTIVITY_COUNTS[name]}`);

const rates = z
  .strictObject({
    in: perSecond('in'),
    delivered: perSecond('delivered'),
    failed: perSecond('failed'),
    retried: perSecond('retried'),
    calls: perSecond('calls'),
  })
  .describe(
    'What these bots do, on average over the last complete minute before `taken_at`. Absent for callers who see more than 500 bots, but not all.',
  );

const replica = z
  .strictObject({
    id: z.string().describe('A random id, drawn when the process starts.'),
    kind: z.enum(['api', 'worker']).describe('The program that runs.'),
    roles: z.array(z.string()).describe('What it does: `api`, or the `WORKER_ROLES` of a worker.'),
    version: z.string().describe('Its release and build: `1.0.0+` and a commit.'),
    host: z.string().describe('The name of its machine, container or pod.'),
    started_at: z.iso.datetime().describe('When it started, by its own clock.'),
    clock_ms_apart: z
      .int()
      .optional()
      .describe('By how much its clock is ahead of that of Redis; negative: behind. Absent: an older release.'),
  })
  .meta({ id: 'Replica' });

export type ReplicaResource = z.infer<typeof replica>;

export const fleetResource = z
  .strictObject({
    bots: z.int().describe('The number of bots.'),
    states,
    attention,
    labels: z
      .array(
        z.strictObject({
          label: z.string().describe('The label.'),
          bots: z.int().describe('The number of bots with it.'),
        }),
      )
      .describe('The labels of these bots, by name. Of more than 100, those of the most bots.'),
    pending: z.int().describe('The sum of `pending_update_count` of these bots.'),
    dead_letters: z
      .int()
      .optional()
      .describe(
        'Updates that failed and can be redelivered. An estimate from 100,000 on. Absent if Postgres could not be asked.',
      ),
    rates: rates.optional(),
    taken_at: z.iso.datetime().describe('When these figures were taken. `replicas` are those of this moment.'),
    replicas: z
      .array(replica)
      .optional()
      .describe(
        'The processes that run, the oldest first. A killed one is listed for up to 15 s. Only for admins whose credential is not limited to some bots.',
      ),
  })
  .meta({ id: 'Fleet' });

export type FleetResource = z.infer<typeof fleetResource>;

const FLEET: FleetResource = {
  bots: 10_000,
  states: { ok: 9_981, failing: 12, open: 3, disabled: 0, not_polled: 4 },
  attention: { ...NO_ATTENTION, backend_failing: 12, backend_open: 3, intake_failing: 4 },
  labels: [{ label: 'eu', bots: 4_100 }],
  pending: 4_388,
  dead_letters: 27,
  rates: { in: 1_204.5, delivered: 1_203.1, failed: 0.02, retried: 2.4, calls: 980.6 },
  taken_at: '2026-01-02T10:15:00.000Z',
  replicas: [
    {
      id: '8c1f5b7e02aa',
      kind: 'worker',
      roles: ['polling', 'push', 'rules', 'outbox', 'history', 'upkeep'],
      version: '1.0.0+a81ad683',
      host: 'worker-2',
      started_at: '2026-01-01T09:00:00.000Z',
    },
  ],
};

export const fleetOperations = {
  showFleet: defineOperation({
    method: 'GET',
    paths: ['/api/fleet'],
    role: 'any',
    summary: 'Shows the bots that the caller sees in figures.',
    description:
      'For callers who see all bots, a worker takes the figures every 30 s. For others they are those of this moment, and so they are while no worker takes any.',
    input: z.object({}),
    output: fleetResource,
    example: { input: {}, output: FLEET },
  }),
};

import { z } from 'zod';
import { okAnswer } from './fields.ts';
import { flag, integer, text } from './inputs.ts';
import { defineOperation } from './operation.ts';

/** Tables from which retention removes nothing unusual without a confirmation. */
const EXPIRING_TABLES = [
  ...(['messages', 'audit_log', 'dead_letters', 'events', 'outbox', 'activity_hours'] as const),
  ...(['broadcasts', 'journal_pages'] as const),
] as const;
export type ExpiringTable = (typeof EXPIRING_TABLES)[number];

const takenAt = z.iso.datetime().describe('When this was read.');

const process = z
  .strictObject({
    version: z.string().describe('The release of Flotilla and its build: `1.0.0+` and a commit.'),
    bot_api_version: z
      .string()
      .describe('The release of the Bot API whose kinds of updates, methods and service messages it knows.'),
    node_version: z.string().describe('The release of Node.'),
    memory_bytes: z.int().describe('The memory it uses.'),
    memory_limit_bytes: z.int().describe('The memory it may use: of its container, or of the machine.'),
  })
  .describe('The process that answers. `GET /api/fleet` lists all of them.');

const postgres = z
  .strictObject({
    version: z.string().describe('The release of the server.'),
    database_bytes: z.int().describe('The size of the database.'),
    connections: z.int().describe('Connections that are open at the server, of all its clients.'),
    connections_max: z.int().describe('`max_connections` of the server.'),
    migrations: z
      .strictObject({
        newest: z.string().describe('The newest migration that was applied.'),
        pending: z.int().describe('Migrations of this release that were not applied.'),
        unknown: z.int().describe('Applied migrations that this release does not know: a newer one migrated.'),
      })
      .describe('The state of the schema.'),
    taken_at: takenAt,
  })
  .describe('Absent if Postgres does not answer.');

const redis = z
  .strictObject({
    versions: z.array(z.string()).describe('The releases of the masters, each once. Empty if the service hides them.'),
    durable: z
      .boolean()
      .optional()
      .describe(
        'True if every master writes each change to its append-only file before it answers, and can. Absent with `REDIS_DURABILITY=provider`.',
      ),
    evicts: z
      .boolean()
      .optional()
      .describe('True if a full Redis would evict updates. It must be false. Absent with `REDIS_EVICTION=provider`.'),
    connections: z.int().describe('Connections that are open, at all masters together.'),
    used_bytes: z.int().describe('Memory in use, of all masters together.'),
    memory_share: z.number().describe('How full the fullest master is, 0 to 1.'),
    memory_pressure: z
      .enum(['relaxed', 'tight', 'short', 'scarce'])
      .describe(
        'relaxed: there is room. tight: bots with long backlogs take no updates in. short: no bot does. scarce: captured calls wait, too.',
      ),
    taken_at: takenAt,
  })
  .describe('Absent if Redis does not answer.');

const turns = z
  .strictObject({
    kinds: z
      .array(
        z.strictObject({
          kind: z
            .enum(['polling', 'push', 'programs', 'rules', 'outbox', 'history'])
            .describe('What such a turn does.'),
          running: z.int().describe('Turns that run.'),
          waiting: z.int().describe('Turns that wait for a worker.'),
          sleeping: z.int().describe('Turns that are due later.'),
          oldest_pending_s: z.number().describe('Seconds for which the oldest due turn has waited for a worker.'),
        }),
      )
      .describe('One entry for each kind of turn.'),
    taken_at: takenAt,
  })
  .describe('The work of the workers, by kind. Absent if Redis does not answer.');

const depth = (what: string) =>
  z
    .strictObject({
      total: z.int().describe('Of all together.'),
      largest: z.int().describe('Of the one that has most.'),
    })
    .describe(what);

const stored = z
  .strictObject({
    log_entries: depth('Updates in memory, by bot.'),
    waiting_for_push: depth('Updates that wait for backends, by bot.'),
    waiting_for_pull: depth('Updates that wait for default poll consumers, by bot.'),
    waiting_for_rules: depth('Updates that wait for routing rules, by bot.'),
    history: depth('Entries that are not in Postgres yet, by shard.'),
    history_oldest_at: z.iso.datetime().optional().describe('When the oldest of these entries came.'),
    taken_at: takenAt,
  })
  .describe('What lies in Redis, as a worker counts it every 30 s. Absent while none does.');

const setting = z.strictObject({
  name: z.string().describe('The environment variable.'),
  value: z.string().describe('Its value; of a URL only scheme, host and port. Empty: it is not set.'),
});

const limit = z.strictObject({
  name: z.string().describe('A word for programs.'),
  value: z.int().describe('The limit.'),
  description: z.string().describe('What it limits.'),
});

const systemResource = z
  .strictObject({
    process,
    postgres: postgres.optional(),
    redis: redis.optional(),
    turns: turns.optional(),
    stored: stored.optional(),
    settings: z
      .array(setting)
      .describe('Settings of the process that answers. Those that are secret, or contain a secret, are left out.'),
    sandbox_url: z
      .url({ protocol: /^https?$/ })
      .optional()
      .describe('In a sandbox: the page on which somebody writes to its demo bot as a person. Absent otherwise.'),
    limits: z.array(limit).describe('Limits that an installation meets first. The handbook lists all of them.'),
    installation_id: z
      .string()
      .optional()
      .describe(
        'The id of the installation. A copy that took over has another one. Absent until Postgres has answered.',
      ),
    quarantined: z
      .boolean()
      .describe(
        'True if the stores are a copy of another installation: nothing is polled or sent until `POST /api/system/adopt`.',
      ),
    clock_ms_apart: z
      .int()
      .optional()
      .describe('By how much the clock of the process that answers is ahead of that of Postgres; negative: behind.'),
    removals_waiting: z
      .array(
        z.strictObject({
          table: z.enum(EXPIRING_TABLES).describe('The table.'),
          rows: z.int().describe('About how many rows would go.'),
          before: z.iso.datetime().describe('Rows from before this time.'),
          since: z.iso.datetime().describe('Since when it waits.'),
        }),
      )
      .optional()
      .describe(
        'What retention does not remove until `POST /api/system/confirm-removal`. Absent if Postgres does not answer.',
      ),
    quarantine_reason: z.string().optional().describe('Why it is in quarantine, for people.'),
    taken_at: z.iso.datetime().describe('When the answer was made. Parts that were read before say so.'),
  })
  .meta({ id: 'System' });

export type SystemResource = z.infer<typeof systemResource>;

const AT = '2026-01-02T10:15:00.000Z';
const SYSTEM: SystemResource = {
  process: {
    version: '1.0.0+a81ad683',
    bot_api_version: '10.5',
    node_version: '24.21.0',
    memory_bytes: 180_000_000,
    memory_limit_bytes: 1_073_741_824,
  },
  postgres: {
    version: '17.2',
    database_bytes: 5_400_000_000,
    connections: 42,
    connections_max: 200,
    migrations: { newest: '20261127T000000-tables', pending: 0, unknown: 0 },
    taken_at: '2026-01-02T10:14:41.000Z',
  },
  redis: {
    versions: ['Redis 7.4.1'],
    durable: true,
    evicts: false,
    connections: 31,
    used_bytes: 640_000_000,
    memory_share: 0.31,
    memory_pressure: 'relaxed',
    taken_at: AT,
  },
  turns: {
    kinds: [{ kind: 'push', running: 12, waiting: 0, sleeping: 41, oldest_pending_s: 0 }],
    taken_at: AT,
  },
  stored: {
    log_entries: { total: 48_120, largest: 26_119 },
    waiting_for_push: { total: 4_388, largest: 4_112 },
    waiting_for_pull: { total: 0, largest: 0 },
    waiting_for_rules: { total: 0, largest: 0 },
    history: { total: 120, largest: 9 },
    history_oldest_at: '2026-01-02T10:14:57.000Z',
    taken_at: '2026-01-02T10:14:58.000Z',
  },
  settings: [{ name: 'PROXY_PREFIX', value: '/tgapi' }],
  limits: [
    { name: 'waiting_updates', value: 100_000, description: 'Updates that wait for the quickest reader of a bot.' },
  ],
  installation_id: '5d0c2a52-3c5e-4a6e-9d2b-6f3b0f8f6a11',
  quarantined: false,
  clock_ms_apart: 2,
  removals_waiting: [],
  taken_at: AT,
};

export const systemOperations = {
  showSystem: defineOperation({
    method: 'GET',
    paths: ['/api/system'],
    role: 'admin',
    wholeFleet: true,
    summary: 'Shows what the installation stands on: releases, stores, work of the workers, settings and limits.',
    description: 'It contains no secrets. Postgres is asked at most every 30 s, and Redis every second.',
    input: z.object({}),
    output: systemResource,
    example: { input: {}, output: SYSTEM },
  }),

  adoptInstallation: defineOperation({
    method: 'POST',
    audit: ['adopt'],
    paths: ['/api/system/adopt'],
    role: 'admin',
    wholeFleet: true,
    summary:
      'Ends the quarantine of a copy: from then on it polls and sends, in place of the installation it was copied from.',
    description:
      'Stop the other installation first, or both poll the same bots. The processes begin within seconds. 409: the process that answers is not in quarantine, or its Redis belongs to another installation that runs. If only some processes are, do not adopt: their `REDIS_URL` names the Redis of another installation, which would stop.',
    input: z.object({
      force: flag()
        .default(false)
        .describe('True: take Redis over also from an installation that runs, which then stops.'),
    }),
    output: okAnswer,
    errors: ['conflict'],
    example: { input: {}, output: { ok: true } },
  }),

  setReadOnly: defineOperation({
    method: 'POST',
    audit: ['read_only'],
    paths: ['/api/system/read-only'],
    role: 'admin',
    wholeFleet: true,
    summary: 'Refuses changes and sends for maintenance, or accepts them again.',
    description:
      "Every process obeys within a second. Meanwhile each POST of this interface, and the tools of MCP that change something, get a 503 `unavailable` with `Retry-After`, but for signing in and out, one's own password, and the operations of `/api/system`; so do `setWebhook` and `deleteWebhook` of programs. Updates are taken in, kept and delivered, programs go on with their calls, and what was handed over before is sent. It lasts until it is turned off, also over restarts; a restored backup is not read-only.",
    input: z.object({
      read_only: flag().describe('True: refuse changes. False: accept them.'),
      reason: text({ max: 200 }).default('').describe('What callers and people are told beside.'),
    }),
    output: okAnswer,
    example: { input: { read_only: true, reason: 'Postgres is being upgraded' }, output: { ok: true } },
  }),

  showReadOnly: defineOperation({
    method: 'GET',
    paths: ['/api/system/read-only'],
    role: 'any',
    summary: 'Shows if changes and sends are refused for maintenance.',
    input: z.object({}),
    output: z.strictObject({
      read_only: z.boolean().describe('True while changes are refused.'),
      reason: z.string().optional().describe('What people are told beside. Absent: nothing.'),
      since: z.iso.datetime().optional().describe('Since when. Absent: changes are accepted.'),
    }),
    example: {
      input: {},
      output: { read_only: true, reason: 'Postgres is being upgraded', since: '2026-01-02T10:15:00.000Z' },
    },
  }),

  confirmRemoval: defineOperation({
    method: 'POST',
    audit: ['confirm_removal'],
    paths: ['/api/system/confirm-removal'],
    role: 'admin',
    wholeFleet: true,
    summary:
      'Lets retention remove far more rows than is usual, which waits as `removals_waiting` of `GET /api/system`.',
    description:
      'It holds for a day, for about as many rows as were shown. 409: nothing such waits. A worker removes them within a minute.',
    input: z.object({
      table: z.enum(EXPIRING_TABLES).optional().describe('Of this table; of all that wait unless given.'),
      rows: integer({ min: 0 })
        .optional()
        .describe('The number that was shown: if it is another one now, nothing is confirmed.'),
    }),
    output: okAnswer,
    errors: ['conflict'],
    example: { input: { table: 'messages', rows: 226_000 }, output: { ok: true } },
  }),

  showApiRoot: defineOperation({
    method: 'GET',
    paths: ['/api/system/api-root'],
    role: 'any',
    summary: 'Shows where programs find the Bot API of this installation.',
    description: 'Everybody who connects a program needs it; the other settings are for administrators.',
    input: z.object({}),
    output: z.strictObject({
      path: z.string().describe('The path of the API root. `/bot<token>/<method>` follows it.'),
      host: z.string().describe('Its host. Absent: the host that serves this interface.').optional(),
    }),
    example: { input: {}, output: { path: '/tgapi' } },
  }),
};

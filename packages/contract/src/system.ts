import { z } from 'zod';
import { upstreamState } from './upstreams.ts';

/** Tables from which retention removes nothing unusual without a confirmation. */
export const EXPIRING_TABLES = [
  ...(['messages', 'audit_log', 'dead_letters', 'events', 'outbox', 'activity_hours'] as const),
  ...(['broadcasts', 'journal_pages'] as const),
] as const;

export type ExpiringTable = (typeof EXPIRING_TABLES)[number];

const taken_at = z.iso.datetime().describe('When this was read.');

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
    taken_at,
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
    taken_at,
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
    taken_at,
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
    taken_at,
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

export const systemResource = z
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
    upstreams: z
      .array(upstreamState)
      .optional()
      .describe(
        'The Bot API servers of TELEGRAM_API_URL (`default`) and TELEGRAM_UPSTREAMS, and others that bots still name. Absent if Redis does not answer.',
      ),
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

import { z } from 'zod';
import { okAnswer } from './fields.ts';
import { flag, integer, text } from './inputs.ts';
import { defineOperation } from './operation.ts';
import { EXPIRING_TABLES, type SystemResource, systemResource } from './system.ts';

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
  upstreams: [
    { name: 'default', url: 'https://api.telegram.org', state: 'ok', error: '', bots: 40 },
    { name: 'local', url: 'http://bot-api:8081', state: 'ok', error: '', bots: 3 },
  ],
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

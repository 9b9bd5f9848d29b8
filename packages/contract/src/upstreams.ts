import { z } from 'zod';
import { column, filled } from './columns.ts';
import { createdAtField, okAnswer, ownIdField } from './fields.ts';
import { ownId, pagedInputs, text } from './inputs.ts';
import { defineOperation, fieldsBeside } from './operation.ts';
import { type Answer, defineResource, type Row } from './resource.ts';

/** The name of the server in TELEGRAM_API_URL. */
export const DEFAULT_UPSTREAM = 'default';

export const PLATFORM_ENVIRONMENTS = ['production', 'test'] as const;
export type PlatformEnvironment = (typeof PLATFORM_ENVIRONMENTS)[number];

const UPSTREAM_STATES = ['ok', 'failing', 'unknown'] as const;

export const upstreamName = () =>
  text({ min: 1, max: 32 }).regex(/^[a-z][a-z0-9_-]*$/, 'must begin with a-z, and have only a-z, 0-9, _ and -');

const NAME_NOTE = 'The name by which bots, metrics and messages name it. It never changes.';
const URL_NOTE =
  'Where the Bot API server is: http:// or https://, also with a path. Private addresses need the setting UPSTREAM_ALLOWED_CIDRS.';
const ENVIRONMENT_NOTE =
  "test: its bots are of the platform's test environment, so calls go to `/bot<token>/test/<method>`. It cannot change while bots use it.";
const PROXY_NOTE =
  'The way there: `http://`, `https://` or `socks5://`, with user and password if it asks for them. `direct`: none. Empty: that of the setting TELEGRAM_PROXY.';
const WEBHOOK_NOTE =
  'The base URL at which this server reaches Flotilla, to which it pushes updates of bots in webhook mode; a server in local mode takes http:// and any port. Empty: PUBLIC_URL.';
const FILES_NOTE =
  'Where the files of a server in local mode are: its working directory as Flotilla sees it (an absolute path), or a URL that serves this directory. Empty: the server serves files itself, as the platform does.';
const UPLOADS_NOTE =
  'A directory on the disk of the server: programs whose token has `local_files` may send files below it by `file:`. Empty: none may.';

export const upstream = defineResource('Upstream', {
  id: { stored: filled(column.bigint), shown: ownIdField },
  name: { stored: column.text(), shown: z.string().describe(NAME_NOTE) },
  url: {
    stored: column.text(),
    shown: z.string().describe(URL_NOTE),
    input: text({ min: 1, max: 2048 }).describe(URL_NOTE),
  },
  environment: {
    stored: filled(column.text<PlatformEnvironment>()),
    shown: z.enum(PLATFORM_ENVIRONMENTS).describe(ENVIRONMENT_NOTE),
    input: z.enum(PLATFORM_ENVIRONMENTS).describe(ENVIRONMENT_NOTE),
    initial: 'production',
  },
  proxy: {
    shown: z.string().describe(`${PROXY_NOTE} The password is masked.`),
    input: text({ max: 1024 }).describe(PROXY_NOTE),
    initial: '',
  },
  proxy_sealed: { stored: filled(column.text()) },
  webhook_url: {
    stored: filled(column.text()),
    shown: z.string().describe(WEBHOOK_NOTE),
    input: text({ max: 2048 }).describe(WEBHOOK_NOTE),
    initial: '',
  },
  files: {
    stored: filled(column.text()),
    shown: z.string().describe(FILES_NOTE),
    input: text({ max: 1024 }).describe(FILES_NOTE),
    initial: '',
  },
  uploads: {
    stored: filled(column.text()),
    shown: z.string().describe(UPLOADS_NOTE),
    input: text({ max: 1024 }).describe(UPLOADS_NOTE),
    initial: '',
  },
  bots: { shown: z.int().describe('How many bots are at it.') },
  state: {
    shown: z
      .enum(UPSTREAM_STATES)
      .describe('ok: it answers. failing: the last calls did not get through. unknown: nobody has called it lately.'),
  },
  failing_since: {
    shown: z.iso.datetime().optional().describe('Since when calls have not got through. Absent: they do.'),
  },
  error: { shown: z.string().describe('Why the last call did not get through. Empty: it did.') },
  created_at: { stored: filled(column.timestamptz), shown: createdAtField },
});

export type UpstreamRow = Row<typeof upstream>;
export type UpstreamResource = Answer<typeof upstream>;

const UPSTREAM: UpstreamResource = {
  id: 2,
  name: 'local',
  url: 'http://bot-api:8081',
  environment: 'production',
  proxy: 'direct',
  webhook_url: 'http://flotilla-api:8080',
  files: '/var/lib/telegram-bot-api',
  uploads: '',
  bots: 3,
  state: 'ok',
  error: '',
  created_at: '2026-01-02T10:15:00.000Z',
};

const oneUpstream = { role: 'admin', wholeFleet: true, method: 'POST' } as const;
const addInputs = { name: upstreamName().describe(NAME_NOTE), ...upstream.addInputs };
const changeInputs = { id: ownId(), ...upstream.changeInputs };

export const upstreamOperations = {
  listUpstreams: defineOperation({
    method: 'GET',
    paths: ['/api/upstreams'],
    role: 'admin',
    wholeFleet: true,
    summary: 'Lists the Bot API servers that bots can be at, beside that of the setting TELEGRAM_API_URL.',
    input: z.object(pagedInputs()),
    output: z.array(upstream.answer),
    example: { input: {}, output: [UPSTREAM] },
  }),

  addUpstream: defineOperation({
    ...oneUpstream,
    audit: ['upstream_add'],
    paths: ['/api/upstreams/add'],
    summary: 'Adds a Bot API server: a local one, one behind a proxy, or the test environment.',
    description:
      'Each has its own connections, limits and state, so that one that does not answer delays no bots of others. Redirects are not followed.',
    input: z.object(addInputs),
    output: upstream.answer,
    readOnlyFields: fieldsBeside(upstream.answer, addInputs),
    errors: ['conflict'],
    example: {
      input: { name: 'local', url: 'http://bot-api:8081', files: '/var/lib/telegram-bot-api' },
      output: UPSTREAM,
    },
  }),

  updateUpstream: defineOperation({
    ...oneUpstream,
    audit: ['upstream_update'],
    paths: ['/api/upstreams/update'],
    summary: 'Changes the given fields of a Bot API server. Absent fields keep their value.',
    description:
      'A new `url` must lead to the same server: another one does not have what waits for the bots, nor their files.',
    input: z.object(changeInputs),
    output: upstream.answer,
    readOnlyFields: fieldsBeside(upstream.answer, changeInputs),
    errors: ['not_found'],
    example: { input: { id: 2, uploads: '/srv/media' }, output: { ...UPSTREAM, uploads: '/srv/media' } },
  }),

  deleteUpstream: defineOperation({
    ...oneUpstream,
    audit: ['upstream_delete'],
    paths: ['/api/upstreams/delete'],
    summary: 'Deletes a Bot API server that no bot is at.',
    input: z.object({ id: ownId() }),
    output: okAnswer,
    readOnlyFields: fieldsBeside(upstream.answer, { id: true }),
    errors: ['not_found', 'conflict'],
    example: { input: { id: 2 }, output: { ok: true } },
  }),
};

import { z } from 'zod';
import { column, filled } from './columns.ts';
import { text } from './inputs.ts';

/** The name of the server in TELEGRAM_API_URL. */
export const DEFAULT_UPSTREAM = 'default';

export const PLATFORM_ENVIRONMENTS = ['production', 'test'] as const;
export type PlatformEnvironment = (typeof PLATFORM_ENVIRONMENTS)[number];

export const UPSTREAM_NAME = /^[a-z][a-z0-9_-]*$/;
export const UPSTREAM_NAME_AT_MOST = 32;

export const upstreamName = () =>
  text({ min: 1, max: UPSTREAM_NAME_AT_MOST }).regex(
    UPSTREAM_NAME,
    'must begin with a-z, and have only a-z, 0-9, _ and -',
  );

const UPSTREAM_NOTE =
  'The name of the Bot API server that the bot is at: one of the setting TELEGRAM_UPSTREAMS, or `default` for that of TELEGRAM_API_URL. `POST /api/bots/move` moves a bot. Here it changes only while the bot is disabled and has never got an update, since what waits at the server before would be lost.';

const ENVIRONMENT_NOTE =
  "test: the bot is of the platform's test environment, so its calls go to `/bot<token>/test/<method>`, also those of programs that do not know it. It changes as `upstream` does.";

/** Where a bot is. */
export const upstreamFields = {
  upstream: {
    stored: filled(column.text()),
    shown: z.string().describe(UPSTREAM_NOTE),
    input: upstreamName().describe(UPSTREAM_NOTE).optional(),
  },
  environment: {
    stored: filled(column.text<PlatformEnvironment>()),
    shown: z.enum(PLATFORM_ENVIRONMENTS).describe(ENVIRONMENT_NOTE),
    input: z.enum(PLATFORM_ENVIRONMENTS).describe(ENVIRONMENT_NOTE).optional(),
  },
};

export const upstreamState = z.strictObject({
  name: z.string().describe('The name by which bots, metrics and messages name it.'),
  url: z
    .string()
    .describe('Where it is: scheme, host and port. Empty: TELEGRAM_UPSTREAMS has no server of this name any more.'),
  state: z
    .enum(['ok', 'failing', 'unknown'])
    .describe('ok: it answers. failing: the last calls did not get through. unknown: nobody has called it lately.'),
  failing_since: z.iso.datetime().optional().describe('Since when calls have not got through. Absent: they do.'),
  error: z.string().describe('Why the last call did not get through. Empty: it did.'),
  bots: z.int().describe('How many bots are at it.'),
});

export type UpstreamState = z.infer<typeof upstreamState>;

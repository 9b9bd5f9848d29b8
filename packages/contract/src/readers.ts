import { z } from 'zod';
import { qualityFields } from './activity.ts';
import { EXAMPLE_BOT_ID } from './examples.ts';
import { okAnswer } from './fields.ts';
import { botId, ownId, pagedInputs } from './inputs.ts';
import { defineOperation } from './operation.ts';
import { consumerName } from './updates.ts';

export const READER_STATES = ['ok', 'failing', 'open', 'silent', 'paused', 'parked', 'off'] as const;
export type ReaderState = (typeof READER_STATES)[number];

const time = (description: string) => z.iso.datetime().describe(description).optional();

const readerResource = z
  .strictObject({
    reader: z
      .string()
      .describe(
        'push: the backend. pull: clients of getUpdates, and of the REST poll without a consumer. rules: routing rules. consumer:<name>: a named consumer. program:<id>: a program.',
      ),
    program_id: z.int().describe('Only for a program: its id.').optional(),
    program_name: z.string().describe('Only for a program: its name.').optional(),
    state: z
      .enum(READER_STATES)
      .describe(
        'off: nobody reads there. ok: it reads, or waits for somebody who polls. failing: the last attempts at the backend failed. open: the backend is unreachable, has failed for 10 s, and is retried every 2 to 60 s. silent: updates wait, and no program has polled for `silent_after_s`, or ever. paused: the bot is disabled, or the program is paused. parked: forwarding was switched off less than an hour ago and would go on at its cursor; or a consumer has not polled for an hour, and no updates are kept for it any more; or a program stayed behind its limit, and what waited for it became failed deliveries.',
      ),
    cursor: z
      .int()
      .optional()
      .describe(
        'The `update_id` up to which it has read. For push, rules and programs that push: up to which updates were sorted by chat; some of them may wait.',
      ),
    behind: z.int().describe('Updates that wait for it, of the kinds that the bot receives.'),
    oldest_at: time('When the oldest of these updates came. Absent if none waits.'),
    keeps: z.int().describe('Updates that are in memory for this reader alone. It is the slowest one then.'),
    in_flight: z.int().optional().describe('Only for push, rules and programs that push: deliveries in flight.'),
    next_probe_at: time('Only for an open backend: when it gets its next probe.'),
    next_attempt_at: time('When the next update is tried that failed before. Absent if none waits for that.'),
    failing_since: time('Only for a backend: since when every attempt has failed.'),
    last_error: z
      .string()
      .optional()
      .describe('Only for a backend: the last error. For a parked program: why it was parked. Absent after a success.'),
    last_error_at: time('When that error happened.'),
    last_success_at: time('Only for a backend: when it last accepted an update.'),
    ...qualityFields,
    last_polled_at: time('Only for pull, consumers and programs that pull: when somebody last polled.'),
    last_polled_by: z
      .string()
      .optional()
      .describe(
        'Only for pull and programs that pull: who polled then, as it names itself, and its address; by REST the account first. At most 160 characters.',
      ),
    parked_until: time('Only for a backend that is parked: until when its cursor is kept.'),
    backend_url: z
      .string()
      .optional()
      .describe(
        'Only for a backend: its URL. User information, query values and tokens in it are masked, for everybody.',
      ),
  })
  .meta({ id: 'Reader' });

export type ReaderResource = z.infer<typeof readerResource>;

const PROGRAM_READER: ReaderResource = {
  reader: 'program:4',
  program_id: 4,
  program_name: 'analytics',
  state: 'ok',
  cursor: 416_120,
  behind: 0,
  keeps: 0,
  last_polled_at: '2026-01-02T10:15:00.000Z',
  last_polled_by: 'python-httpx/0.28.1, 10.0.0.7',
};

const READERS: ReaderResource[] = [
  { reader: 'pull', state: 'ok', cursor: 416_120, behind: 0, keeps: 0, last_polled_at: '2026-01-02T10:15:00.000Z' },
  {
    reader: 'push',
    state: 'open',
    cursor: 416_120,
    behind: 4_112,
    oldest_at: '2026-01-02T10:01:00.000Z',
    keeps: 0,
    in_flight: 0,
    next_probe_at: '2026-01-02T10:15:22.000Z',
    next_attempt_at: '2026-01-02T10:15:22.000Z',
    failing_since: '2026-01-02T10:01:03.000Z',
    last_error: 'Wrong response from the webhook: 502 Bad Gateway',
    last_error_at: '2026-01-02T10:14:22.000Z',
    last_success_at: '2026-01-02T10:00:58.000Z',
    ...{ success_ratio: 0.7482, p95_ms: 60000 },
    backend_url: 'https://bots.example.com/helpdesk',
  },
  { reader: 'rules', state: 'off', behind: 0, keeps: 0, in_flight: 0 },
  {
    reader: 'consumer:archive',
    state: 'ok',
    cursor: 390_001,
    behind: 26_119,
    oldest_at: '2026-01-02T01:15:00.000Z',
    keeps: 22_007,
    last_polled_at: '2026-01-02T09:40:00.000Z',
  },
  PROGRAM_READER,
];

export const readerOperations = {
  listReaders: defineOperation({
    method: 'GET',
    paths: ['/api/bots/readers'],
    role: 'any',
    summary: "Shows who reads a bot's updates, and how far each one is.",
    description:
      'All of it is of one moment; `success_ratio` and `p95_ms` are those of the last hour. Named consumers are listed while they are remembered: 24 hours after a poll.',
    input: z.object({ bot_id: botId(), ...pagedInputs() }),
    output: z.array(readerResource),
    botInputs: ['bot_id'],
    example: { input: { bot_id: EXAMPLE_BOT_ID }, output: READERS },
  }),

  listProgramReaders: defineOperation({
    method: 'GET',
    paths: ['/api/programs/readers'],
    role: 'any',
    summary: 'Shows how far each program of a bot has read.',
    description: 'The readers of the bot that are programs. All of it is of one moment.',
    input: z.object({ bot_id: botId(), ...pagedInputs() }),
    output: z.array(readerResource),
    botInputs: ['bot_id'],
    example: { input: { bot_id: EXAMPLE_BOT_ID }, output: [PROGRAM_READER] },
  }),

  resumeBackend: defineOperation({
    method: 'POST',
    audit: ['backend_resume'],
    paths: ['/api/bots/resume-backend'],
    role: 'any',
    summary: 'Tries the backend of a bot now, instead of when its next attempt is due.',
    description:
      'An unreachable backend is retried at once, and if that succeeds it gets everything else. Otherwise every update that waits for its next attempt is sent. It is refused with 400 if the bot is disabled, or forwards nothing. Once a second is possible.',
    errors: ['too_many_requests'],
    input: z.object({ bot_id: botId() }),
    output: okAnswer,
    botInputs: ['bot_id'],
    example: { input: { bot_id: EXAMPLE_BOT_ID }, output: { ok: true } },
  }),

  resumeProgramBackend: defineOperation({
    method: 'POST',
    audit: ['backend_resume'],
    paths: ['/api/programs/resume-backend'],
    role: 'any',
    summary: 'Tries the backend of a program now, instead of when its next attempt is due.',
    description:
      'The same as for the backend of a bot, for this program alone. It is refused with 400 if the bot is disabled, the program is paused, or it pulls. A paused program goes on with `POST /api/programs/toggle`.',
    input: z.object({ id: ownId().describe('The program.') }),
    output: okAnswer,
    errors: ['not_found', 'too_many_requests'],
    example: { input: { id: 4 }, output: { ok: true } },
  }),

  forgetConsumer: defineOperation({
    method: 'POST',
    audit: ['consumer_forget'],
    paths: ['/api/bots/forget-consumer'],
    role: 'any',
    summary: 'Forgets a named consumer of a bot: its cursor, and the updates that are kept for it alone.',
    description: 'If somebody polls under that name again, it begins at the oldest update that is kept.',
    input: z.object({ bot_id: botId(), consumer: consumerName().describe('The name of the consumer.') }),
    output: okAnswer,
    botInputs: ['bot_id'],
    example: { input: { bot_id: EXAMPLE_BOT_ID, consumer: 'archive' }, output: { ok: true } },
  }),
};

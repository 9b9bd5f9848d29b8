import { z } from 'zod';
import { EXAMPLE_BOT_ID } from './examples.ts';
import { botIdField } from './fields.ts';
import { anyBotId, integer, listOf, pagedInputs } from './inputs.ts';
import { defineOperation } from './operation.ts';

/** The faults of a bot, the worst first: those that lose most when nobody acts. */
export const ATTENTION = {
  token_revoked: { severity: 'error', text: 'the platform refuses the token of the bot: give it the new one' },
  foreign_webhook: {
    severity: 'error',
    text: 'another service has set a webhook for the bot, and gets its updates instead: `POST /api/bots/take-back`',
  },
  intake_failing: {
    severity: 'error',
    text: 'no updates come in: the platform gives no answer, or something else polls the bot',
  },
  intake_paused: {
    severity: 'error',
    text: 'nothing is taken in until there is room; the platform keeps updates for a day',
  },
  platform_unreachable: {
    severity: 'error',
    text: 'what the bot is to send waits: its calls do not get to the platform, or something else answers them',
  },
  move_stuck: {
    severity: 'error',
    text: 'a move to another Bot API server has waited for a minute without an end in sight (`moving.reason`)',
  },
  backend_open: {
    severity: 'error',
    text: 'the backend is unreachable, has failed for 10 s, and is retried every 2 to 60 s',
  },
  poller_silent: {
    severity: 'error',
    text: 'updates wait, and no program has polled for `silent_after_s`; of a bot with a backend, once one has polled',
  },
  program_parked: {
    severity: 'error',
    text: 'a program stayed behind its limit, and what waited became failed deliveries',
  },
  program_silent: {
    severity: 'error',
    text: 'updates that are for a program wait, and it has not polled for `silent_after_s`',
  },
  program_failing: { severity: 'error', text: 'every attempt at the backend of a program fails' },
  sends_held: {
    severity: 'warning',
    text: 'what was handed over to be sent is held, since who did it lost the right: an admin releases or cancels it',
  },
  flood: {
    severity: 'warning',
    text: 'the platform takes no more of some calls for a while, because the bot is rate limited',
  },
  backend_failing: { severity: 'warning', text: 'the last attempts at the backend failed' },
  forwarding_off: { severity: 'warning', text: 'there is a backend, and `proxy_enabled` is off' },
  nobody_reads: {
    severity: 'warning',
    text: 'no backend, poller, program or rule reads the updates any more; a bot with a history that never had one is for people, and needs none',
  },
} as const satisfies Record<string, { severity: 'error' | 'warning'; text: string }>;

export type AttentionKind = keyof typeof ATTENTION;
export const ATTENTION_KINDS = Object.keys(ATTENTION) as [AttentionKind, ...AttentionKind[]];

/** Faults of a process, beside those of a bot. Told to those who may see processes. */
const ATTENTION_OF_PROCESSES = {
  clock_apart: {
    severity: 'warning',
    text: 'the clock of a process is over a minute apart from that of Redis; about no bot, and shown to admins of the whole fleet',
  },
} as const;
const ALL_KINDS = [...ATTENTION_KINDS, 'clock_apart'] as const;
export type AnyAttentionKind = (typeof ALL_KINDS)[number];

/** Counts of a fleet of which nothing needs attention. */
export const NO_ATTENTION = Object.fromEntries(ATTENTION_KINDS.map((kind) => [kind, 0])) as Record<
  AttentionKind,
  number
>;

const noteOf = (kinds: Record<string, { text: string }>) =>
  `${Object.entries(kinds)
    .map(([kind, { text }]) => `${kind}: ${text}`)
    .join('. ')}.`;

const SILENT_AFTER_NOTE =
  'Seconds: when updates wait and no program has polled for so long, the poller is silent, and the bot needs attention. 0: never. [300]';
/** Seconds without a poll after which a reader that updates wait for counts as silent. */
export const silentAfterInput = () => integer({ min: 0, max: 86_400 }).describe(SILENT_AFTER_NOTE);
export const silentAfterField = z.int().describe(SILENT_AFTER_NOTE);

const attentionFields = {
  kind: z.enum(ATTENTION_KINDS).describe(noteOf(ATTENTION)),
  severity: z.enum(['error', 'warning']).describe('error: updates do not arrive. warning: they may not.'),
  since: z.iso.datetime().optional().describe('Since when. Absent: nobody knows, or it is a setting.'),
  reader: z.string().optional().describe('The reader that it is about, as `GET /api/bots/readers` names it.'),
  program_id: z.int().optional().describe('The program that it is about.'),
  waiting: z.int().optional().describe('How many updates wait for this reader.'),
  text: z.string().describe('What is wrong, for people; of a failure, the last error.'),
};

/** The faults of one bot. */
export const attentionOfBot = z.strictObject(attentionFields).meta({ id: 'Attention' });
export type AttentionOfBot = z.infer<typeof attentionOfBot>;

const attentionResource = z
  .strictObject({
    bot_id: botIdField.optional(),
    ...attentionFields,
    kind: z.enum(ALL_KINDS).describe(noteOf({ ...ATTENTION, ...ATTENTION_OF_PROCESSES })),
  })
  .meta({ id: 'AttentionOfABot' });
export type AttentionResource = z.infer<typeof attentionResource>;

export const attentionOperations = {
  listAttention: defineOperation({
    method: 'GET',
    paths: ['/api/attention'],
    role: 'any',
    summary: 'Lists what is wrong with the bots that the caller sees, the worst first, and then with processes.',
    description:
      'Of equal kinds, what has lasted longest comes first. The entries are of this moment; if the caller sees more than 200 bots, a bot that came into trouble less than five seconds ago may be missing.',
    input: z.object({
      bot_id: anyBotId(),
      kinds: listOf(z.enum(ALL_KINDS), ALL_KINDS.length).optional().describe('Only entries of these kinds.'),
      ...pagedInputs(),
    }),
    output: z.array(attentionResource),
    botInputs: ['bot_id'],
    example: {
      input: { kinds: ['backend_open', 'poller_silent'] },
      output: [
        {
          bot_id: EXAMPLE_BOT_ID,
          kind: 'backend_open',
          severity: 'error',
          since: '2026-01-02T10:01:03.000Z',
          reader: 'push',
          waiting: 4_112,
          text: 'Wrong response from the webhook: 502 Bad Gateway',
        },
      ],
    },
  }),
};

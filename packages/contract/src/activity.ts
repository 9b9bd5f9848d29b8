import { z } from 'zod';
import { EXAMPLE_BOT_ID } from './examples.ts';
import { botIdField } from './fields.ts';
import { moment, ownId, ownIds } from './inputs.ts';
import { defineOperation } from './operation.ts';

const ACTIVITY_STEPS = ['minute', 'hour'] as const;

const count = () => z.int().min(0);

/** The meaning of the five counts of activity, wherever they are shown. */
export const ACTIVITY_COUNTS = {
  in: 'Updates that Flotilla accepted from the platform. One that comes twice counts once.',
  delivered:
    'Updates that reached a reader: a backend of the bot or of a program accepted it, rules sent it on, or `getUpdates` or the poll without `consumer` acknowledged it. An update counts once for each of them.',
  failed:
    'Updates that failed at a reader: backend, program or rules. It tries them no more, and they became failed deliveries.',
  retried:
    'Updates whose attempt failed at a backend, a program or a destination of rules, and is made again. What waits for its pace is not counted.',
  calls:
    'Bot API calls that the history keeps: messages sent, edited and deleted, and actions in chats, whoever made them.',
} as const;

/** How attempts went. Absent where none was made, and for readers that poll. */
export const qualityFields = {
  success_ratio: z.number().min(0).max(1).optional().describe('The share of its attempts that succeeded, from 0 to 1.'),
  p95_ms: z
    .int()
    .optional()
    .describe(
      'Milliseconds that 95 % of its attempts did not exceed, failed ones included. It is counted in steps, so it may be off by a quarter.',
    ),
};

const activityPoint = z
  .strictObject({
    at: z.iso.datetime().describe('The start of the minute or hour.'),
    in: count().describe(ACTIVITY_COUNTS.in),
    delivered: count().describe(ACTIVITY_COUNTS.delivered),
    failed: count().describe(ACTIVITY_COUNTS.failed),
    retried: count().describe(ACTIVITY_COUNTS.retried),
    calls: count().describe(ACTIVITY_COUNTS.calls),
    waiting: count()
      .optional()
      .describe(
        'Updates that waited for the backend or the default poll consumer, as `pending_update_count` of the bots: looked at once in this minute; of an hour, the largest of its minutes. Absent where nobody looked, because no worker was there.',
      ),
  })
  .extend({
    ...qualityFields,
    p50_ms: z.int().optional().describe('The same for half of its attempts.'),
  })
  .meta({ id: 'Activity' });

export type ActivityResource = z.infer<typeof activityPoint>;

const POINTS: ActivityResource[] = [
  {
    ...{ at: '2026-01-02T10:00:00.000Z', in: 12, delivered: 11, failed: 0, retried: 1, calls: 9, waiting: 1 },
    ...{ success_ratio: 0.9167, p50_ms: 38, p95_ms: 210 },
  },
  { at: '2026-01-02T10:01:00.000Z', in: 0, delivered: 1, failed: 0, retried: 0, calls: 1, waiting: 0 },
];

const botActivity = z
  .strictObject({
    bot_id: botIdField,
    ...qualityFields,
    delivered: z
      .array(count())
      .length(24)
      .describe('Updates that reached a reader, by hour, oldest first. The last hour is the present one.'),
  })
  .meta({ id: 'BotActivity' });

export type BotActivityResource = z.infer<typeof botActivity>;

const listedBots = ownIds(100).describe('The ids of the bots in Flotilla, 100 at most.');

export const activityOperations = {
  showActivity: defineOperation({
    method: 'GET',
    paths: ['/api/activity'],
    role: 'any',
    summary: 'Shows what a bot, or the whole fleet, did by minute or by hour, oldest first.',
    description: `Without \`bot_id\` it shows the fleet, also what bots did that were deleted since.

Minutes reach back 49 hours and hours 90 days; a time before that is refused. Every minute or hour is there, with zeros where
nothing happened. The last one may still be running.

\`success_ratio\`, \`p50_ms\` and \`p95_ms\` are those of attempts of the bot's readers that send, or of the given one. They, and what one
reader did, reach back 25 hours. A point without an attempt has none of them, and neither has the fleet.

Named consumers, programs that poll, calls that the history does not keep and those of a bot with \`manage_enabled\` off are not
counted. If Redis loses data, its counts of the last hours are lost, too.`,
    input: z.object({
      bot_id: ownId().describe('The id of the bot in Flotilla. Without it: the whole fleet.').optional(),
      reader: z
        .string()
        .regex(/^(push|rules|program:[1-9]\d{0,15})$/, 'must be push, rules or program:<id>')
        .optional()
        .describe(
          'Only what this reader of the bot did: push, rules or program:<id>. Then `in` and `calls` are 0, and there is no `waiting`.',
        ),
      step: z.enum(ACTIVITY_STEPS).default('minute').describe('The time that one entry covers.'),
      from: moment()
        .optional()
        .describe(
          'Begins with the minute or hour of this time: Unix seconds, or ISO 8601 with a zone. [an hour of minutes, or a day of hours]',
        ),
      to: moment().optional().describe('Only minutes or hours that begin before this time, in the same forms. [now]'),
    }),
    output: z.array(activityPoint),
    botInputs: ['bot_id'],
    fleetWithout: 'bot_id',
    example: {
      input: { bot_id: EXAMPLE_BOT_ID, step: 'minute', from: 1767348000, to: 1767348120 },
      output: POINTS,
    },
  }),

  listBotActivity: defineOperation({
    method: 'GET',
    paths: ['/api/activity/bots'],
    role: 'any',
    summary: 'Shows in short how some bots do: their last 24 hours, and their attempts of the last hour.',
    description: 'For lists of bots. `success_ratio` and `p95_ms` are those of all readers of a bot that send.',
    input: z.object({ bot_ids: listedBots }),
    output: z.array(botActivity),
    botsOf: ({ bot_ids: ids }) => listedBots.safeParse(ids).data ?? [],
    example: {
      input: { bot_ids: [EXAMPLE_BOT_ID] },
      output: [
        {
          ...{ bot_id: EXAMPLE_BOT_ID, success_ratio: 0.998, p95_ms: 180 },
          delivered: Array.from({ length: 24 }, (_, hour) => 40 + hour),
        },
      ],
    },
  }),
};

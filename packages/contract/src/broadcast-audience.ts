import { z } from 'zod';
import { CHAT_TYPES } from './chat-queues.ts';
import { flag, instant, jsonObject, listOf, ownId, platformId, text } from './inputs.ts';
import { tagText } from './tags.ts';

/** The most chats that an audience may name one by one. */
const MOST_CHAT_IDS = 10_000;

/** How an entry ended that did not reach its chat. */
export const FAILED_STATES = ['failed', 'expired', 'in_doubt'] as const;

/** The longest reason that a filter may name. */
const LONGEST_REASON = 4_096;

export const reasonFields = {
  state: z
    .enum(FAILED_STATES)
    .describe('Only chats of which this became. Without it: `failed` and `expired`, since `in_doubt` may have got it.')
    .optional(),
  error: text({ max: LONGEST_REASON }).describe('Only chats with this reason, as `failures` has it.').optional(),
};

export const audienceFields = {
  chat_ids: listOf(platformId(), MOST_CHAT_IDS)
    .describe('These chats; those that the bot does not know are left out.')
    .optional(),
  list_id: ownId().describe('The chats of this list (`POST /api/lists/add`) that the bot knows.').optional(),
  failures_of: jsonObject({
    broadcast_id: ownId().describe('A broadcast of the same bot. Its entries are kept for some weeks.'),
    ...reasonFields,
  })
    .describe('Chats that did not get another broadcast.')
    .optional(),
  chat_types: listOf(z.enum(CHAT_TYPES), CHAT_TYPES.length).describe('Chats of these kinds.').optional(),
  tags: listOf(tagText(), 50)
    .describe('Only private chats of people who have one of these tags, in any chat of the bot and in any case.')
    .optional(),
  language_codes: listOf(text({ min: 2, max: 35 }).regex(/^[A-Za-z0-9-]+$/, 'must be a language code such as `de`'), 50)
    .describe(
      'Only private chats of people whose app has one of these languages, as their last message said it. `pt` includes `pt-BR`.',
    )
    .optional(),
  active_since: instant()
    .describe('Only chats with a message of others since this time: ISO 8601 with a zone.')
    .optional(),
  inactive_since: instant()
    .describe('Only chats without a message of others since this time: ISO 8601 with a zone.')
    .optional(),
  exclude_blocked: flag()
    .default(true)
    .describe('False: also people who blocked the bot. Groups that the bot had to leave are never included.'),
};

export const audience = z
  .strictObject({
    chat_ids: z
      .array(z.int())
      .describe(audienceFields.chat_ids.description ?? '')
      .optional(),
    list_id: z
      .int()
      .describe(audienceFields.list_id.description ?? '')
      .optional(),
    failures_of: z
      .strictObject({
        broadcast_id: z.int().describe('The broadcast.'),
        state: z
          .enum(FAILED_STATES)
          .describe(reasonFields.state.description ?? '')
          .optional(),
        error: z
          .string()
          .describe(reasonFields.error.description ?? '')
          .optional(),
      })
      .describe(audienceFields.failures_of.description ?? '')
      .optional(),
    chat_types: z
      .array(z.enum(CHAT_TYPES))
      .describe(audienceFields.chat_types.description ?? '')
      .optional(),
    tags: z
      .array(z.string())
      .describe(audienceFields.tags.description ?? '')
      .optional(),
    language_codes: z
      .array(z.string())
      .describe(audienceFields.language_codes.description ?? '')
      .optional(),
    active_since: z.iso
      .datetime()
      .describe(audienceFields.active_since.description ?? '')
      .optional(),
    inactive_since: z.iso
      .datetime()
      .describe(audienceFields.inactive_since.description ?? '')
      .optional(),
    exclude_blocked: z.boolean().describe(audienceFields.exclude_blocked.description ?? ''),
  })
  .meta({ id: 'BroadcastAudience' });

export type BroadcastAudience = z.infer<typeof audience>;

const choice = z.strictObject({
  tag: z.string().describe('The tag.'),
  people: z.int().describe('People who have it.'),
});

export const choices = z
  .strictObject({
    tags: z.array(choice).describe('Tags of people whom the bot can write to, that of most people first.'),
    languages: z
      .array(
        z.strictObject({
          language_code: z.string().describe('The language, without a country.'),
          people: z.int().describe('People whose app has it.'),
        }),
      )
      .describe('Their languages, that of most people first.'),
  })
  .meta({ id: 'AudienceChoices' });

export type AudienceChoices = z.infer<typeof choices>;

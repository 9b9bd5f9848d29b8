import { z } from 'zod';
import { EXAMPLE_CHAT, EXAMPLE_USER_ID } from './examples.ts';
import { messageCountField, nameFields, userIdField } from './fields.ts';
import { botId, chatId, integer, text } from './inputs.ts';
import { defineOperation } from './operation.ts';

const HOURS_OF_A_DAY = 24;
const DAYS_OF_A_WEEK = 7;

function isTimeZone(timeZone: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone }) !== null;
  } catch {
    return false;
  }
}

const topUser = z.strictObject({ id: userIdField, ...nameFields, message_count: messageCountField });

const hour = z.strictObject({
  hour: z
    .int()
    .min(0)
    .max(HOURS_OF_A_DAY - 1)
    .describe('The hour of the day, UTC.'),
  message_count: messageCountField,
});

const weekday = z.strictObject({
  weekday: z.int().min(0).max(6).describe('0: Sunday, 6: Saturday.'),
  message_counts: z
    .array(z.int())
    .length(HOURS_OF_A_DAY)
    .describe('The number of messages in each hour of the day, from hour 0 to hour 23.'),
});

const chatStatsResource = z
  .strictObject({
    total_messages: z
      .int()
      .describe('The number of messages that are kept and not deleted, as `message_count` of the chat.'),
    today_messages: z.int().describe('The number of messages of today. A day begins at 00:00 UTC.'),
    active_users: z
      .int()
      .describe(
        'The number of users who wrote today. The bot itself does not count, nor do channels and anonymous admins.',
      ),
    top_users: z
      .array(topUser)
      .describe(
        'The ten users with the most messages of all time, the largest number first. The bot itself is left out, and so are channels and anonymous admins.',
      ),
    hourly: z
      .array(hour)
      .length(HOURS_OF_A_DAY)
      .describe(
        'The messages of today by hour. There are always 24 entries, from hour 0 (00:00–00:59 UTC) to hour 23.',
      ),
    by_weekday: z
      .array(weekday)
      .length(DAYS_OF_A_WEEK)
      .optional()
      .describe('The messages of the last `weeks` by weekday and hour, from Sunday on. Only if `weeks` is given.'),
  })
  .meta({ id: 'Stats' });

export type ChatStatsResource = z.infer<typeof chatStatsResource>;

const STATS: ChatStatsResource = {
  total_messages: 1234,
  today_messages: 2,
  active_users: 1,
  top_users: [{ id: EXAMPLE_USER_ID, username: 'ada', first_name: 'Ada', message_count: 321 }],
  hourly: Array.from({ length: HOURS_OF_A_DAY }, (_, hour) => ({ hour, message_count: hour === 10 ? 2 : 0 })),
};

export const statsOperations = {
  showChatStats: defineOperation({
    method: 'GET',
    paths: ['/api/stats'],
    role: 'any',
    summary: 'Shows how much is written in a chat, by whom and when.',
    input: z.object({
      bot_id: botId(),
      chat_id: chatId(),
      weeks: integer({ min: 1, max: 12 })
        .optional()
        .describe('Also count the messages of so many weeks, up to now, by weekday and hour.'),
      time_zone: text({ min: 1, max: 64 })
        .refine(isTimeZone, 'must be a time zone such as Europe/Berlin')
        .default('UTC')
        .describe('The time zone of `by_weekday`, by its name in the IANA database. All else is by UTC.'),
    }),
    output: chatStatsResource,
    botInputs: ['bot_id'],
    example: { input: EXAMPLE_CHAT, output: STATS },
  }),
};

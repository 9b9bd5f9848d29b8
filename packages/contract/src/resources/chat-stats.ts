import { z } from 'zod';

export const HOURS_OF_A_DAY = 24;

const topUser = z.strictObject({
  id: z.int(),
  username: z.string().optional(),
  first_name: z.string().optional(),
  last_name: z.string().optional(),
  message_count: z.int(),
});

const hour = z.strictObject({
  hour: z
    .int()
    .min(0)
    .max(HOURS_OF_A_DAY - 1),
  message_count: z.int(),
});

export const chatStatsResource = z
  .strictObject({
    total_messages: z.int().describe('All messages kept and not deleted, as message_count of the chat.'),
    today_messages: z.int().describe('Those of today; a day begins at 00:00 UTC.'),
    active_users: z.int().describe('How many users wrote today; the bot itself does not count.'),
    top_users: z
      .array(topUser)
      .describe('The ten users with the most messages of all time, most first; the bot itself is left out.'),
    hourly: z
      .array(hour)
      .length(HOURS_OF_A_DAY)
      .describe('The messages of today by hour: always 24 entries, hour 0 (00:00–00:59 UTC) to hour 23.'),
  })
  .meta({ id: 'Stats' });

export type ChatStatsResource = z.infer<typeof chatStatsResource>;

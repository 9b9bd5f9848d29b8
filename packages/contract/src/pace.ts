import { z } from 'zod';
import { integer } from './inputs.ts';

export const PACE_NOTE =
  'How fast the outbox, and so broadcasts, send for the bot: messages a second in all, a second into one chat, and a minute into one group. What rules and programs send is counted, too.';

export const PACE = { per_second: 25, per_chat_second: 1, per_group_minute: 20 };

const PACE_LIMITS = { per_second: 1000, per_chat_second: 30, per_group_minute: 100 };

const PACE_TEXTS = {
  per_second: 'Messages a second in all.',
  per_chat_second: 'Messages a second into one chat.',
  per_group_minute: 'Messages a minute into one group or channel.',
};

export const paceField = z
  .strictObject({
    per_second: z.int().describe(PACE_TEXTS.per_second),
    per_chat_second: z.int().describe(PACE_TEXTS.per_chat_second),
    per_group_minute: z.int().describe(PACE_TEXTS.per_group_minute),
  })
  .describe(PACE_NOTE);

export const paceInput = (name: keyof typeof PACE) =>
  integer({ min: 1, max: PACE_LIMITS[name] }).default(PACE[name]).describe(PACE_TEXTS[name]);

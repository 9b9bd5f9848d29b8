import { z } from 'zod';
import { botId, integer, text } from './inputs.ts';
import { defineOperation } from './operation.ts';

/** Why init data is not accepted: a closed list. */
const INIT_DATA_FAULTS = ['malformed', 'bad_hash', 'expired'] as const;

const DAY_S = 86_400;
const LONGEST_INIT_DATA = 16_384;
const platformObject = z.record(z.string(), z.unknown());

const checkedInitData = z
  .strictObject({
    valid: z.boolean().describe('True if the platform signed the data for this bot, and it is not too old.'),
    reason: z
      .enum(INIT_DATA_FAULTS)
      .optional()
      .describe(
        'Why it is not valid. malformed: not the form of init data. bad_hash: signed for another bot, or changed. expired: older than `max_age_s`, or from the future.',
      ),
    user: platformObject.optional().describe('The WebAppUser who opened the Mini App.'),
    chat: platformObject.optional().describe('The WebAppChat, if it was opened from the attachment menu.'),
    auth_date: z.int().optional().describe('When the Mini App was opened (Unix seconds).'),
    start_param: z.string().optional().describe('The parameter of the link that opened it.'),
  })
  .meta({ id: 'CheckedInitData' });

export const miniAppOperations = {
  checkInitData: defineOperation({
    method: 'POST',
    audit: [],
    paths: ['/api/bots/check-init-data'],
    role: 'any',
    alsoPrograms: true,
    summary: 'Checks the init data of a Mini App, for programs that do not hold the bot’s token.',
    description: `\`init_data\` is \`Telegram.WebApp.initData\`, as the page of the Mini App gets it. Only fields that the platform signed are shown, and
only if the data is valid.

With the token of a program as Bearer the bot is that of the program, and \`bot_id\` may be left out.`,
    input: z.object({
      bot_id: botId().optional(),
      init_data: text({ min: 1, max: LONGEST_INIT_DATA }).describe('The data, as a query string.'),
      max_age_s: integer({ min: 1, max: 366 * DAY_S })
        .default(DAY_S)
        .describe('How old it may be, in seconds.'),
    }),
    output: checkedInitData,
    botInputs: ['bot_id'],
    example: {
      input: { bot_id: 7, init_data: 'auth_date=1767348900&hash=0123abcd&user=%7B%22id%22%3A424242%7D' },
      output: {
        valid: true,
        user: { id: 424242, first_name: 'Ada' },
        auth_date: 1_767_348_900,
        start_param: 'order-17',
      },
    },
  }),
};

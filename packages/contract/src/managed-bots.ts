import { z } from 'zod';
import { BOT } from './bot-operations.ts';
import { bot } from './bots.ts';
import { PLATFORM_ERRORS } from './errors.ts';
import { EXAMPLE_BOT_ID } from './examples.ts';
import { botId, ownId, text } from './inputs.ts';
import { defineOperation, fieldsBeside } from './operation.ts';

/** https://core.telegram.org/bots/features#managed-bots: what the platform takes for a bot's username and name. */
const USERNAME = /^[A-Za-z]\w{1,28}[Bb][Oo][Tt]$/;
const NAME_LENGTH = 64;

export const managedBotOperations = {
  showCreationLink: defineOperation({
    method: 'GET',
    paths: ['/api/bots/creation-link'],
    role: 'any',
    summary: 'Shows a link by which anybody makes a bot that this one adopts.',
    description:
      'Who opens it in Telegram confirms, or changes, the username and the name. The new bot belongs to that person, and the bot that adopts it manages it. It is registered when the platform tells of it, mostly within a second.\n\nThe link does not expire, and may be used by everybody who has it. Whoever must not make bots must not get it; `adopts` switched off ends it.',
    input: z.object({
      bot_id: botId(),
      username: text({ min: 5, max: 32 })
        .regex(USERNAME, 'must begin with a letter, have only A-Z, a-z, 0-9 and _, and end in bot')
        .optional()
        .describe('The username that is proposed. Absent: a new one.'),
      name: text({ min: 1, max: NAME_LENGTH }).optional().describe('The name that is proposed.'),
    }),
    output: z.strictObject({ link: z.string().describe('The link, on t.me.') }),
    botInputs: ['bot_id'],
    example: {
      input: { bot_id: EXAMPLE_BOT_ID, username: 'corner_shop_bot', name: 'Corner shop' },
      output: { link: 'https://t.me/newbot/helpdesk_bot/corner_shop_bot?name=Corner%20shop' },
    },
  }),

  rotateToken: defineOperation({
    method: 'POST',
    audit: ['rotate_token'],
    paths: ['/api/bots/rotate-token'],
    role: 'admin',
    summary: 'Replaces the token of a bot that another bot here manages.',
    description:
      'The bot in `parent_bot_id` asks the platform for it. The old token ends at once. All replicas use the new one within 5 s, and no update is lost. Programs keep their own tokens, and need not be restarted; only who uses the token of the bot itself needs the new one.\n\nIf the platform has another token than Flotilla, since an earlier call was cut off, or the owner replaced it, that one is stored instead. A bot without a parent is refused.',
    input: z.object({ id: ownId() }),
    output: bot.answer,
    botInputs: ['id'],
    aliases: { bot_id: 'id' },
    readOnlyFields: fieldsBeside(bot.answer, { id: true }),
    errors: PLATFORM_ERRORS,
    example: {
      input: { id: 7 },
      output: { ...BOT, parent_bot_id: 4, owner_user_id: 424_242 },
    },
  }),
};

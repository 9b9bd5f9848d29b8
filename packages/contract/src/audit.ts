import { z } from 'zod';
import { AUDIT_ACTIONS, auditAction } from './audit-actions.ts';
import { EXAMPLE_BOT_ID, EXAMPLE_CHAT, EXAMPLE_CHAT_ID, EXAMPLE_USER_ID } from './examples.ts';
import { ownIdField } from './fields.ts';
import { botIdOfChat, chatId, moment, pagedInputs, text } from './inputs.ts';
import { defineOperation } from './operation.ts';

export const ACTOR_KINDS = ['account', 'key', 'bot'] as const;

export const auditEntryResource = z
  .strictObject({
    id: ownIdField,
    chat_id: z.int().optional().describe('Where it happened in a chat.'),
    bot_id: z.int().optional().describe('Where it was done to a bot or by one; the bot may be deleted since.'),
    action: auditAction.describe('What was done; AuditAction says which there are.'),
    actor_kind: z
      .enum(ACTOR_KINDS)
      .describe(
        'account: somebody who was signed in; key: a program with an API key; bot: the program of the bot, with its token.',
      ),
    actor_id: z
      .int()
      .optional()
      .describe('The account that acted, also by one of its keys, or the bot. Absent: nobody was signed in.'),
    actor_username: z.string().optional().describe('As it was then.'),
    actor_key_id: z.int().optional().describe('The API key that was used. Shown to admins.'),
    address: z.string().optional().describe('Where the call came from. Shown to admins.'),
    target_id: z
      .int()
      .optional()
      .describe('The user, the message or the account acted upon; of several messages the first.'),
    target_username: z.string().describe('The username of that user, as last seen in the chat.').optional(),
    details: z
      .string()
      .describe('What changed, as `field: old → new`; of a secret only that it changed. Long values are cut.'),
    date: z.int().describe('Unix seconds.'),
  })
  .meta({ id: 'AuditEntry' });

export type AuditEntryResource = z.infer<typeof auditEntryResource>;

const ENTRY: AuditEntryResource = {
  id: 90,
  chat_id: EXAMPLE_CHAT_ID,
  bot_id: EXAMPLE_BOT_ID,
  action: 'ban',
  actor_kind: 'key',
  actor_id: 1,
  actor_username: 'admin',
  actor_key_id: 12,
  address: '192.0.2.10',
  target_id: EXAMPLE_USER_ID,
  target_username: 'ada',
  details: '',
  date: 1767349000,
};

export const auditOperations = {
  listAuditEntries: defineOperation({
    method: 'GET',
    paths: ['/api/adminlog'],
    role: 'any',
    summary: 'Who did what, newest first: in one chat, or to an admin in the whole fleet.',
    description: `With \`chat_id\` the entries of that chat. Without it, for admins only, everything: with \`bot_id\` what was
done to that bot and by it, also when the bot is deleted since; without both the whole fleet, which a key that is limited
to some bots does not see. Filters go together. Whoever has the bot may read what was done in its chats; addresses and
keys are shown to admins.

Every change leaves an entry, and one that cannot be written refuses the change with 503. What was refused leaves none,
except sign-ins that fail until the limit is reached.`,
    input: z.object({
      bot_id: botIdOfChat(),
      chat_id: chatId().optional(),
      action: z.enum(AUDIT_ACTIONS).optional().describe('What was done; AuditAction says what each one means.'),
      actor: text({ min: 1, max: 64 }).optional().describe('The username of an account, or its id.'),
      from: moment().optional().describe('Not before: Unix seconds, or ISO 8601 with a zone.'),
      to: moment().optional().describe('Before, in the same forms.'),
      ...pagedInputs({ default: 50, max: 200 }),
    }),
    output: z.array(auditEntryResource),
    botInputs: ['bot_id'],
    example: { input: { ...EXAMPLE_CHAT, action: 'ban', actor: 'admin', from: 1767312000 }, output: [ENTRY] },
  }),
};

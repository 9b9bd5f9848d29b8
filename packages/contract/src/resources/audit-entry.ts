import { z } from 'zod';
import { auditAction } from './audit-action.ts';

export const ACTOR_KINDS = ['account', 'key', 'bot'] as const;

export const auditEntryResource = z
  .strictObject({
    id: z.int(),
    chat_id: z.int().optional().describe('Where it happened in a chat.'),
    bot_id: z.int().optional().describe('Where it was done to a bot or by one; the bot may be deleted since.'),
    action: auditAction,
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
    target_username: z.string().optional(),
    details: z
      .string()
      .describe('What changed, as `field: old → new`; of a secret only that it changed. Long values are cut.'),
    date: z.int().describe('Unix seconds.'),
  })
  .meta({ id: 'AuditEntry' });

export type AuditEntryResource = z.infer<typeof auditEntryResource>;

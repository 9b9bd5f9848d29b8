import { z } from 'zod';

export const ACTOR_KINDS = ['account', 'bot'] as const;

export const auditEntryResource = z
  .strictObject({
    id: z.int(),
    chat_id: z.int(),
    bot_id: z.int(),
    action: z
      .string()
      .describe('What was done: ban, unban, promote, demote, title, pin, unpin, delete, restrict and the like.'),
    actor_kind: z
      .enum(ACTOR_KINDS)
      .describe('account: by this API; bot: by the program of the bot, seen on the proxy.'),
    actor_id: z.int().describe('The id of the account or of the bot.'),
    actor_username: z.string().optional(),
    target_id: z.int().optional().describe('The user whom it was done to.'),
    target_username: z.string().optional(),
    details: z.string(),
    date: z.int().describe('Unix seconds.'),
  })
  .meta({ id: 'AuditEntry' });

export type AuditEntryResource = z.infer<typeof auditEntryResource>;

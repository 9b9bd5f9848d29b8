import { z } from 'zod';

export const ROLES = ['admin', 'user'] as const;
export type Role = (typeof ROLES)[number];

export const accountResource = z
  .strictObject({
    id: z.int(),
    username: z.string(),
    display_name: z.string(),
    role: z.enum(ROLES),
    bot_ids: z.array(z.int()).nullable().describe('null: every bot.'),
    must_change_password: z.boolean(),
    created_at: z.iso.datetime(),
    last_login_at: z.iso.datetime().optional(),
  })
  .meta({ id: 'Account' });

export type AccountResource = z.infer<typeof accountResource>;

export const apiKeyResource = z
  .strictObject({
    id: z.int(),
    user_id: z.int(),
    name: z.string(),
    prefix: z.string().describe('The first characters of the key, to recognise it by.'),
    role: z.enum(ROLES),
    bot_ids: z.array(z.int()).nullable().describe('null: what the account sees.'),
    enabled: z.boolean(),
    expires_at: z.iso.datetime().optional(),
    parent_id: z
      .int()
      .optional()
      .describe('The key that made it: it works only while that one does. Absent when a session made it.'),
    last_used_at: z.iso.datetime().optional(),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'ApiKey' });

export type ApiKeyResource = z.infer<typeof apiKeyResource>;

/** The account behind a credential, and the key where that is one. */
export const ownAccountResource = accountResource
  .extend({
    api_key: z
      .strictObject({
        id: z.int(),
        name: z.string(),
        role: z
          .enum(ROLES)
          .describe('What the key may do now: its own role, or that of the account if it is narrower.'),
        bot_ids: z.array(z.int()).nullable().describe('The bots that the key sees now; null: every bot.'),
        expires_at: z.iso.datetime().optional(),
      })
      .optional()
      .describe('The key that was sent; absent with a session.'),
  })
  .meta({ id: 'OwnAccount' });

export type OwnAccountResource = z.infer<typeof ownAccountResource>;

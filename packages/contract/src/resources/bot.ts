import { z } from 'zod';

/** How a bot does, in one word: what a list of them is filtered by. */
export const BOT_STATES = ['ok', 'failing', 'open', 'disabled', 'not_polled'] as const;
export type BotState = (typeof BOT_STATES)[number];

export const botResource = z
  .strictObject({
    id: z.int(),
    token: z
      .string()
      .describe('Whole to an API key with the admin role; masked (`123456:****`) to sessions and to the role user.'),
    name: z.string(),
    username: z.string(),
    source: z.enum(['cli', 'web']),
    manage_enabled: z.boolean(),
    proxy_enabled: z.boolean(),
    backend_url: z.string().describe('Userinfo, the values of the query and tokens are masked as the token is.'),
    secret_token: z.string().describe('Masked as the token is.'),
    long_poll_enabled: z.boolean(),
    description: z.string(),
    running: z.boolean(),
    webhook_mode: z.boolean(),
    disabled: z.boolean(),
    max_connections: z.int(),
    allowed_updates: z.array(z.string()).optional().describe("Absent: the platform's default set."),
    last_error: z
      .string()
      .describe("What went wrong last with taking updates in or delivering them; '' after a success."),
    last_error_at: z.iso.datetime().optional().describe('When that was; absent when nothing is wrong.'),
    last_update_at: z.iso.datetime().optional(),
    pending_update_count: z.int(),
    backend_state: z.enum(['ok', 'failing', 'open']),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'Bot' });

export type BotResource = z.infer<typeof botResource>;

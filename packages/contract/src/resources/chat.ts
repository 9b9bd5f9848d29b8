import { z } from 'zod';

export const CHAT_TYPES = ['private', 'group', 'supergroup', 'channel'] as const;

export const chatResource = z
  .strictObject({
    id: z.int(),
    bot_id: z.int(),
    title: z.string().optional(),
    type: z.enum(CHAT_TYPES),
    username: z.string().optional(),
    first_name: z.string().optional(),
    last_name: z.string().optional(),
    message_count: z.int(),
  })
  .meta({ id: 'Chat' });

export type ChatResource = z.infer<typeof chatResource>;

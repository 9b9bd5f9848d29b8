import { z } from 'zod';

export const chatUserResource = z
  .strictObject({
    id: z.int(),
    username: z.string().optional(),
    first_name: z.string().optional(),
    last_name: z.string().optional(),
    is_bot: z.boolean(),
  })
  .meta({ id: 'User' });

export type ChatUserResource = z.infer<typeof chatUserResource>;

import { z } from 'zod';

export const tagResource = z
  .strictObject({
    id: z.int(),
    chat_id: z.int(),
    user_id: z.int(),
    username: z.string().optional(),
    tag: z.string(),
    color: z.string().describe('#RRGGBB'),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'Tag' });

export type TagResource = z.infer<typeof tagResource>;

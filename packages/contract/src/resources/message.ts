import { z } from 'zod';

export const MEDIA_TYPES = [
  'photo',
  'video',
  'animation',
  'sticker',
  'voice',
  'audio',
  'document',
  'video_note',
  'callback',
] as const;

export const messageResource = z
  .strictObject({
    id: z.int().describe("The platform's message id, a counter of its chat; negative for a callback and a ban."),
    chat_id: z.int(),
    bot_id: z.int(),
    user_id: z.int().optional(),
    username: z.string().optional(),
    first_name: z.string().optional(),
    last_name: z.string().optional(),
    text: z.string().optional(),
    date: z.int().describe('Unix seconds.'),
    media_type: z.enum(MEDIA_TYPES).optional(),
    file_id: z.string().optional(),
    reply_to_message_id: z.int().optional(),
    edited_at: z.iso.datetime().optional(),
    deleted_at: z.iso.datetime().optional(),
    outgoing: z.boolean(),
    service: z.string().optional(),
  })
  .meta({ id: 'Message' });

export type MessageResource = z.infer<typeof messageResource>;

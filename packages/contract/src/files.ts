import { z } from 'zod';
import { PLATFORM_ERRORS } from './errors.ts';
import { botId, text } from './inputs.ts';
import { defineOperation } from './operation.ts';

/** Types that browsers show without running code: neither SVG nor PDF. Every other file is sent as plain bytes. */
export const SHOWN_MEDIA_TYPES = [
  ...['image/jpeg', 'image/png', 'image/gif', 'image/webp', 'image/avif'],
  ...['video/mp4', 'video/webm', 'video/quicktime'],
  ...['audio/mpeg', 'audio/ogg', 'audio/mp4', 'audio/wav', 'audio/flac', 'audio/aac', 'audio/webm'],
];

export const fileOperations = {
  downloadFile: defineOperation({
    method: 'GET',
    paths: ['/api/files'],
    role: 'any',
    summary: 'A file that a chat of the bot has shown, streamed from the platform, whole or in one range.',
    description:
      'Pictures, sound and video come with their own type and are shown in place; everything else is an attachment. A ' +
      '`Range` of bytes is answered with 206, one outside of the file with 416. The platform gives files of up to 20 MB. ' +
      'As with proxied files no browser runs what is in them: `Content-Security-Policy: sandbox`, `nosniff`.',
    input: z.object({
      bot_id: botId(),
      file_id: text({ min: 1, max: 256 }).describe('As `file_id` of a message says.'),
    }),
    output: z.string().describe("The file's bytes."),
    mediaTypes: ['application/octet-stream', ...SHOWN_MEDIA_TYPES],
    botInputs: ['bot_id'],
    errors: PLATFORM_ERRORS,
    example: { input: { bot_id: 7, file_id: 'AgACAgIAAxkBAAIBmWfPhoto' }, output: 'the bytes' },
  }),
};

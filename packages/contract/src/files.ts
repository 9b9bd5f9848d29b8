import { z } from 'zod';
import { PLATFORM_ERRORS } from './errors.ts';
import { botId, text } from './inputs.ts';
import { defineOperation } from './operation.ts';

/** Types that browsers show or play without running code: neither SVG nor PDF. Every other file is sent as plain bytes. */
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
    summary: 'Downloads a file that was shown in a chat of the bot: the whole file, or one range of it.',
    description:
      'The file is streamed from the platform, which gives files of up to 20 MB. Pictures, sound and video have their own ' +
      'media type, so that a page can show and play them. Everything that is not a picture is an attachment. A `Range` of bytes is answered ' +
      'with 206, a range outside of the file with 416. As with proxied files, browsers run nothing that is in the file: ' +
      'the answer has `Content-Security-Policy: sandbox` and `nosniff`.',
    input: z.object({
      bot_id: botId(),
      file_id: text({ min: 1, max: 256 }).describe('The `file_id` of a message.'),
    }),
    output: z.string().describe('The bytes of the file.'),
    mediaTypes: ['application/octet-stream', ...SHOWN_MEDIA_TYPES],
    botInputs: ['bot_id'],
    errors: PLATFORM_ERRORS,
    example: { input: { bot_id: 7, file_id: 'AgACAgIAAxkBAAIBmWfPhoto' }, output: 'the bytes' },
  }),
};

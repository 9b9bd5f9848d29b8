import { z } from 'zod';
import { ownId, text } from '../input-types.ts';
import { defineOperation } from '../operation.ts';

/** What browsers show without running anything of it: neither SVG nor PDF. Every other file is plain bytes. */
export const SHOWN_MEDIA_TYPES = [
  ...['image/jpeg', 'image/png', 'image/gif', 'image/webp', 'image/avif'],
  ...['video/mp4', 'video/webm', 'video/quicktime'],
  ...['audio/mpeg', 'audio/ogg', 'audio/mp4', 'audio/wav', 'audio/flac', 'audio/aac', 'audio/webm'],
];

export const downloadFile = defineOperation({
  name: 'downloadFile',
  method: 'GET',
  paths: ['/api/files'],
  role: 'any',
  summary: 'A file that a chat of the bot has shown, streamed from the platform, whole or in one range.',
  input: z.object({
    bot_id: ownId(),
    file_id: text({ min: 1, max: 256 }).describe('As `file_id` of a message says.'),
  }),
  output: z.string().describe("The file's bytes."),
  mediaTypes: ['application/octet-stream', ...SHOWN_MEDIA_TYPES],
  botInputs: ['bot_id'],
});

import { z } from 'zod';
import { PLATFORM_ERRORS } from './errors.ts';
import { EXAMPLE_CHAT, EXAMPLE_USER_OF_CHAT } from './examples.ts';
import { authorId, botId, chatId, text } from './inputs.ts';
import { defineOperation } from './operation.ts';

/** Pictures that browsers show in any page. */
export const SHOWN_PICTURES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp', 'image/avif'] as const;

/** Types that browsers show or play without running code: neither SVG nor PDF. Every other file is sent as plain bytes. */
export const SHOWN_MEDIA_TYPES = [
  ...SHOWN_PICTURES,
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

  showChatPhoto: defineOperation({
    method: 'GET',
    paths: ['/api/chats/photo'],
    role: 'any',
    summary: 'Shows the small photo of a chat that the bot has seen; of a private chat, that of the person.',
    description:
      'The platform is asked when somebody wants the photo, for one photo of a bot at a time; the answer, also that there is none, is kept for six ' +
      'hours in the memory of each api. If too many others wait, the call is refused with 429.',
    input: z.object({ bot_id: botId(), chat_id: chatId() }),
    output: z.string().describe('The bytes of the picture, of about 160 × 160 pixels.'),
    mediaTypes: SHOWN_PICTURES,
    emptyWhen: 'There is no photo, or the platform does not give it now.',
    botInputs: ['bot_id'],
    errors: ['not_found', 'too_many_requests'],
    example: { input: EXAMPLE_CHAT, output: 'the bytes' },
  }),

  showChatUserPhoto: defineOperation({
    method: 'GET',
    paths: ['/api/users/photo'],
    role: 'any',
    summary: 'Shows the small photo of an author of messages in a chat.',
    description:
      'For people, channels and groups whose messages in this chat the history has, and nobody else. It is fetched and kept like ' +
      'the photo of a chat.',
    input: z.object({ bot_id: botId(), chat_id: chatId(), user_id: authorId() }),
    output: z.string().describe('The bytes of the picture.'),
    mediaTypes: SHOWN_PICTURES,
    emptyWhen: 'There is no photo, the person does not show it to the bot, or the platform does not give it now.',
    botInputs: ['bot_id'],
    errors: ['not_found', 'too_many_requests'],
    example: { input: EXAMPLE_USER_OF_CHAT, output: 'the bytes' },
  }),
};

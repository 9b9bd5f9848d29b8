import { z } from 'zod';
import { ownId, text } from '../input-types.ts';
import { defineOperation } from '../operation.ts';
import { unpagedInputs } from '../paging.ts';
import { chatResource } from '../resources/chat.ts';

export const listChats = defineOperation({
  name: 'listChats',
  method: 'GET',
  paths: ['/api/chats'],
  role: 'any',
  summary: 'The chats a bot has been seen in, by id.',
  input: z.object({
    bot_id: ownId(),
    q: text({ max: 256 }).optional().describe('A part of the title, a name or the username, in any case.'),
    ...unpagedInputs(),
  }),
  output: z.array(chatResource),
  botInputs: ['bot_id'],
});

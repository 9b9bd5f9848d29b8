import { z } from 'zod';
import { chatId, ownId, platformId, text } from '../input-types.ts';
import { defineOperation } from '../operation.ts';
import { unpagedInputs } from '../paging.ts';
import { okAnswer } from '../resources/answers.ts';
import { tagResource } from '../resources/tag.ts';

const DEFAULT_COLOR = '#808080';

export const listTags = defineOperation({
  name: 'listTags',
  method: 'GET',
  paths: ['/api/tags'],
  role: 'any',
  summary: 'The tags of the users of a chat, oldest first.',
  input: z.object({ bot_id: ownId().optional(), chat_id: chatId(), ...unpagedInputs() }),
  output: z.array(tagResource),
  botInputs: ['bot_id'],
});

export const listTagsOfUser = defineOperation({
  name: 'listTagsOfUser',
  method: 'GET',
  paths: ['/api/tags/user'],
  role: 'any',
  summary: 'The tags of one user of a chat, oldest first.',
  input: z.object({
    bot_id: ownId().optional(),
    chat_id: chatId(),
    user_id: platformId(),
    ...unpagedInputs(),
  }),
  output: z.array(tagResource),
  botInputs: ['bot_id'],
});

const addInputs = {
  bot_id: ownId(),
  chat_id: chatId(),
  user_id: platformId(),
  username: text({ max: 64 }).optional().describe('Absent: as the user was last seen in the chat.'),
  tag: text({ min: 1, max: 64 }).regex(/\S/, 'must not be blank'),
  color: text({ max: 7 })
    .regex(/^#[0-9A-Fa-f]{6}$/, 'must have the form #RRGGBB')
    .default(DEFAULT_COLOR),
};

export const addTag = defineOperation({
  name: 'addTag',
  method: 'POST',
  audit: ['tag_add'],
  paths: ['/api/tags/add'],
  role: 'any',
  summary: 'Tags a user of a chat, for the eyes of this one bot.',
  input: z.object(addInputs),
  output: tagResource,
  botInputs: ['bot_id'],
  readOnlyFields: Object.keys(tagResource.shape).filter((field) => !(field in addInputs)),
});

export const removeTag = defineOperation({
  name: 'removeTag',
  method: 'POST',
  audit: ['tag_remove'],
  paths: ['/api/tags/remove'],
  role: 'any',
  summary: 'Removes a tag.',
  input: z.object({ id: ownId() }),
  output: okAnswer,
  readOnlyFields: ['bot_id', ...Object.keys(tagResource.shape).filter((field) => field !== 'id')],
});

import { z } from 'zod';
import { EXAMPLE_CHAT, EXAMPLE_CHAT_ID, EXAMPLE_USER_ID, EXAMPLE_USER_OF_CHAT } from './examples.ts';
import { chatIdField, createdAtField, okAnswer, ownIdField, userIdField, usernameField } from './fields.ts';
import { authorId, botId, botIdOfChat, chatId, ownId, pagedInputs, text } from './inputs.ts';
import { defineOperation, fieldsBeside } from './operation.ts';

export const tagResource = z
  .strictObject({
    id: ownIdField,
    chat_id: chatIdField,
    user_id: userIdField,
    username: usernameField.optional(),
    tag: z.string().describe('The text of the tag.'),
    color: z.string().describe('The color, as #RRGGBB.'),
    created_at: createdAtField,
  })
  .meta({ id: 'Tag' });

export type TagResource = z.infer<typeof tagResource>;

export const TAG: TagResource = {
  id: 3,
  chat_id: EXAMPLE_CHAT_ID,
  user_id: EXAMPLE_USER_ID,
  username: 'ada',
  tag: 'VIP',
  color: '#CC3300',
  created_at: '2026-01-02T10:20:00.000Z',
};

const DEFAULT_COLOR = '#808080';

/** The text of a tag. */
export const tagText = () => text({ min: 1, max: 64 }).regex(/\S/, 'must not be blank');

const addInputs = {
  bot_id: botId(),
  chat_id: chatId(),
  user_id: authorId(),
  username: text({ max: 64 })
    .optional()
    .describe('The username to store. Absent: the one that was last seen in the chat.'),
  tag: tagText().describe('The text of the tag.'),
  color: text({ max: 7 })
    .regex(/^#[0-9A-Fa-f]{6}$/, 'must have the form #RRGGBB')
    .describe('The color, as #RRGGBB.')
    .default(DEFAULT_COLOR),
};

export const tagOperations = {
  listTags: defineOperation({
    method: 'GET',
    paths: ['/api/tags'],
    role: 'any',
    summary: 'Lists the tags of all users of a chat, oldest first.',
    input: z.object({ bot_id: botIdOfChat(), chat_id: chatId(), ...pagedInputs() }),
    output: z.array(tagResource),
    botInputs: ['bot_id'],
    example: { input: EXAMPLE_CHAT, output: [TAG] },
  }),

  listTagsOfUser: defineOperation({
    method: 'GET',
    paths: ['/api/tags/user'],
    role: 'any',
    summary: 'Lists the tags of one user of a chat, oldest first.',
    input: z.object({ bot_id: botIdOfChat(), chat_id: chatId(), user_id: authorId(), ...pagedInputs() }),
    output: z.array(tagResource),
    botInputs: ['bot_id'],
    example: { input: EXAMPLE_USER_OF_CHAT, output: [TAG] },
  }),

  addTag: defineOperation({
    method: 'POST',
    audit: ['tag_add'],
    paths: ['/api/tags/add'],
    role: 'any',
    summary: 'Adds a tag to a user of a chat. The tag belongs to this bot only.',
    input: z.object(addInputs),
    output: tagResource,
    botInputs: ['bot_id'],
    readOnlyFields: fieldsBeside(tagResource, addInputs),
    errors: ['conflict'],
    example: { input: { ...EXAMPLE_USER_OF_CHAT, username: 'ada', tag: 'VIP', color: '#CC3300' }, output: TAG },
  }),

  removeTag: defineOperation({
    method: 'POST',
    audit: ['tag_remove'],
    paths: ['/api/tags/remove'],
    role: 'any',
    summary: 'Removes a tag.',
    input: z.object({ id: ownId() }),
    output: okAnswer,
    readOnlyFields: ['bot_id', ...fieldsBeside(tagResource, { id: true })],
    errors: ['not_found'],
    example: { input: { id: 3 }, output: { ok: true } },
  }),
};

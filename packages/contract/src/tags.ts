import { z } from 'zod';
import { column, filled, orNull } from './columns.ts';
import { EXAMPLE_CHAT, EXAMPLE_CHAT_ID, EXAMPLE_USER_ID, EXAMPLE_USER_OF_CHAT } from './examples.ts';
import { chatIdField, createdAtField, okAnswer, ownIdField, userIdField, usernameField } from './fields.ts';
import { authorId, botId, botIdOfChat, chatId, ownId, pagedInputs, text } from './inputs.ts';
import { defineOperation, fieldsBeside } from './operation.ts';
import { type Additions, type Answer, defineResource, type Row } from './resource.ts';

const DEFAULT_COLOR = '#808080';

/** The text of a tag. */
export const tagText = () => text({ min: 1, max: 64 }).regex(/\S/, 'must not be blank');

export const tagResource = defineResource('Tag', {
  id: { stored: filled(column.bigint), shown: ownIdField },
  bot_id: { stored: column.bigint, input: botId() },
  chat_id: { stored: column.bigint, shown: chatIdField, input: chatId() },
  user_id: { stored: column.bigint, shown: userIdField, input: authorId() },
  username: {
    stored: orNull(column.text()),
    shown: usernameField.optional(),
    input: text({ max: 64 })
      .optional()
      .describe('The username to store. Absent: the one that was last seen in the chat.'),
  },
  tag: {
    stored: column.text(),
    shown: z.string().describe('The text of the tag.'),
    input: tagText().describe('The text of the tag.'),
  },
  color: {
    stored: column.text(),
    shown: z.string().describe('The color, as #RRGGBB.'),
    input: text({ max: 7 })
      .regex(/^#[0-9A-Fa-f]{6}$/, 'must have the form #RRGGBB')
      .describe('The color, as #RRGGBB.'),
    initial: DEFAULT_COLOR,
  },
  created_at: { stored: filled(column.timestamptz), shown: createdAtField },
});

export type Tag = Row<typeof tagResource>;
export type NewTag = Additions<typeof tagResource> & { chat_id: number };
export type TagResource = Answer<typeof tagResource>;

export const TAG: TagResource = {
  id: 3,
  chat_id: EXAMPLE_CHAT_ID,
  user_id: EXAMPLE_USER_ID,
  username: 'ada',
  tag: 'VIP',
  color: '#CC3300',
  created_at: '2026-01-02T10:20:00.000Z',
};

export const tagOperations = {
  listTags: defineOperation({
    method: 'GET',
    paths: ['/api/tags'],
    role: 'any',
    summary: 'Lists the tags of all users of a chat, oldest first.',
    input: z.object({ bot_id: botIdOfChat(), chat_id: chatId(), ...pagedInputs() }),
    output: z.array(tagResource.answer),
    botInputs: ['bot_id'],
    example: { input: EXAMPLE_CHAT, output: [TAG] },
  }),

  listTagsOfUser: defineOperation({
    method: 'GET',
    paths: ['/api/tags/user'],
    role: 'any',
    summary: 'Lists the tags of one user of a chat, oldest first.',
    input: z.object({ bot_id: botIdOfChat(), chat_id: chatId(), user_id: authorId(), ...pagedInputs() }),
    output: z.array(tagResource.answer),
    botInputs: ['bot_id'],
    example: { input: EXAMPLE_USER_OF_CHAT, output: [TAG] },
  }),

  addTag: defineOperation({
    method: 'POST',
    audit: ['tag_add'],
    paths: ['/api/tags/add'],
    role: 'any',
    summary: 'Adds a tag to a user of a chat. The tag belongs to this bot only.',
    input: z.object(tagResource.addInputs),
    output: tagResource.answer,
    botInputs: ['bot_id'],
    readOnlyFields: fieldsBeside(tagResource.answer, tagResource.addInputs),
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
    readOnlyFields: ['bot_id', ...fieldsBeside(tagResource.answer, { id: true })],
    errors: ['not_found'],
    example: { input: { id: 3 }, output: { ok: true } },
  }),
};

import { z } from 'zod';
import { CHAT_QUEUES, CHAT_TYPES } from './chat-queues.ts';
import { column, filled } from './columns.ts';
import { createdAtField, okAnswer, ownIdField } from './fields.ts';
import { jsonObject, ownId, text } from './inputs.ts';
import { defineOperation, fieldsBeside } from './operation.ts';
import { type Answer, defineResource, type Row } from './resource.ts';
import { tagText } from './tags.ts';

const FILTER_NOTE = 'Which chats it shows: inputs of `GET /api/chats`.';

/** Flags are there or not, as in an address. */
const filterFields = {
  queue: z.enum(CHAT_QUEUES).optional().describe('The queue of the desk.'),
  bot_id: ownId().optional(),
  type: z.enum(CHAT_TYPES).optional().describe('The type of the chat.'),
  tag: tagText().optional().describe('A tag of its person.'),
  q: text({ max: 256 }).optional().describe('A part of its name or username.'),
  unread: z.literal(true).optional().describe('Only those with messages that the account has not read.'),
};

/** A filter of the inbox that an account keeps under a name. */
export const chatView = defineResource('ChatView', {
  id: { stored: filled(column.bigint), shown: ownIdField },
  account_id: { stored: column.bigint },
  name: {
    stored: column.text(),
    shown: z.string().describe('A name for people.'),
    input: text({ min: 1, max: 64 }).regex(/\S/, 'must not be blank').describe('A name for people.'),
  },
  filter: {
    stored: column.jsonb<ChatViewFilter>(),
    shown: z.strictObject(filterFields).describe(FILTER_NOTE),
    input: jsonObject(filterFields).describe(FILTER_NOTE),
  },
  created_at: { stored: filled(column.timestamptz), shown: createdAtField },
});

export type ChatViewFilter = z.output<z.ZodObject<typeof filterFields>>;
export type ChatViewRow = Row<typeof chatView>;
export type ChatViewResource = Answer<typeof chatView>;

const VIEW: ChatViewResource = {
  id: 2,
  name: 'Refunds that wait',
  filter: { queue: 'waiting', tag: 'refund' },
  created_at: '2026-01-02T10:20:00.000Z',
};

// A view is personal, and changes nothing for anybody else.
const own = { method: 'POST', role: 'any', audit: [] } as const;

export const chatViewOperations = {
  listChatViews: defineOperation({
    method: 'GET',
    paths: ['/api/chats/views'],
    role: 'any',
    summary:
      "Lists the account's own saved views of the inbox, by name. There are at most 50. A key that is limited to some bots has none.",
    input: z.object({}),
    output: z.array(chatView.answer),
    example: { input: {}, output: [VIEW] },
  }),

  addChatView: defineOperation({
    ...own,
    paths: ['/api/chats/views/add'],
    summary: 'Saves a view of the inbox for the account. One of the same name is replaced.',
    input: z.object(chatView.addInputs),
    output: chatView.answer,
    readOnlyFields: fieldsBeside(chatView.answer, chatView.addInputs),
    errors: ['conflict'],
    example: { input: { name: VIEW.name, filter: VIEW.filter }, output: VIEW },
  }),

  deleteChatView: defineOperation({
    ...own,
    paths: ['/api/chats/views/delete'],
    summary: "Deletes one of the account's saved views.",
    input: z.object({ id: ownId() }),
    output: okAnswer,
    readOnlyFields: fieldsBeside(chatView.answer, { id: true }),
    errors: ['not_found'],
    example: { input: { id: 2 }, output: { ok: true } },
  }),
};

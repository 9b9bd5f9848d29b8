import { z } from 'zod';
import { column, filled, orNull } from './columns.ts';
import { createdAtField, okAnswer, ownIdField } from './fields.ts';
import { integer, listOf, ownId, pagedInputs, text } from './inputs.ts';
import { defineOperation, fieldsBeside } from './operation.ts';
import { type Answer, defineResource, type Row } from './resource.ts';

/** The most chats of a list. */
export const LONGEST_CHAT_LIST = 1_000_000;
/** The most lists of an account. */
export const MOST_CHAT_LISTS = 100;
/** The most chats of all lists of an account together. */
export const MOST_LISTED_CHATS = 5_000_000;
/** A list goes so long after chats were added to it, or a broadcast used it. */
export const CHAT_LIST_DAYS = 90;
const MOST_AT_ONCE = 10_000;

export const listResource = defineResource('ChatList', {
  id: { stored: filled(column.bigint), shown: ownIdField },
  name: {
    stored: column.text(),
    shown: z.string().describe('What people call it.'),
    input: text({ min: 1, max: 128 }).regex(/\S/, 'must not be blank').describe('What people call it.'),
  },
  /** Written by a trigger of its entries. */
  size: { stored: filled(column.bigint), shown: z.int().describe('How many chats it has.') },
  account_id: { stored: orNull(column.bigint) },
  created_by: { stored: column.text(), shown: z.string().describe('The username of the account that made it.') },
  created_at: { stored: filled(column.timestamptz), shown: createdAtField },
  used_at: {
    stored: filled(column.timestamptz),
    shown: z.iso.datetime().describe('When chats were added to it, or a broadcast began with it.'),
  },
  removed_at: { stored: orNull(column.timestamptz) },
});

export type ChatList = Row<typeof listResource>;
export type ChatListResource = Answer<typeof listResource>;

const LIST: ChatListResource = {
  id: 3,
  name: 'Customers of the old shop',
  size: 412_000,
  created_by: 'grace',
  created_at: '2026-01-02T10:20:00.000Z',
  used_at: '2026-01-02T10:24:00.000Z',
};

const common = { role: 'any', right: 'broadcast' } as const;

export const listOperations = {
  listChatLists: defineOperation({
    ...common,
    method: 'GET',
    paths: ['/api/lists'],
    summary: 'Lists the lists of chats of the account, newest first; an admin sees those of all.',
    input: z.object(pagedInputs({ default: 50, max: 200 })),
    output: z.array(listResource.answer),
    example: { input: {}, output: [LIST] },
  }),

  addChatList: defineOperation({
    ...common,
    method: 'POST',
    audit: ['list_add'],
    paths: ['/api/lists/add'],
    summary: 'Makes an empty list of chats, which a broadcast can name as its audience (`list_id`).',
    description: `A list belongs to the account. It is for any bot, so a key of some bots makes and sees none: of its chats, a broadcast reaches those that its bot knows. An account has up to ${MOST_CHAT_LISTS} lists, with ${MOST_LISTED_CHATS} chats together. A list that is not used for ${CHAT_LIST_DAYS} days is deleted.`,
    input: z.object(listResource.addInputs),
    output: listResource.answer,
    readOnlyFields: fieldsBeside(listResource.answer, listResource.addInputs),
    errors: ['conflict'],
    example: { input: { name: LIST.name }, output: { ...LIST, size: 0 } },
  }),

  appendToChatList: defineOperation({
    ...common,
    method: 'POST',
    audit: ['list_append'],
    paths: ['/api/lists/append'],
    summary: 'Adds chats to a list.',
    description: `A list has up to ${LONGEST_CHAT_LIST} chats; send them in pages. A chat that it has already is not added again, so a page whose answer was lost can be sent again.`,
    input: z.object({
      id: ownId(),
      chat_ids: listOf(integer(), MOST_AT_ONCE).describe(`Up to ${MOST_AT_ONCE} ids of chats, or of people.`),
    }),
    output: listResource.answer,
    readOnlyFields: fieldsBeside(listResource.answer, { id: true }),
    errors: ['not_found', 'conflict'],
    example: { input: { id: LIST.id, chat_ids: [5, 6] }, output: LIST },
  }),

  deleteChatList: defineOperation({
    ...common,
    method: 'POST',
    audit: ['list_delete'],
    paths: ['/api/lists/delete'],
    summary: 'Deletes a list. A broadcast that has not begun with it keeps it from being deleted.',
    input: z.object({ id: ownId() }),
    output: okAnswer,
    readOnlyFields: fieldsBeside(listResource.answer, { id: true }),
    errors: ['not_found', 'conflict'],
    example: { input: { id: LIST.id }, output: { ok: true } },
  }),
};

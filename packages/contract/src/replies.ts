import { z } from 'zod';
import { column, filled, orNull } from './columns.ts';
import { EXAMPLE_BOT_ID } from './examples.ts';
import { createdAtField, okAnswer, ownIdField } from './fields.ts';
import { anyBotId, nullable, ownId, ownIds, pagedInputs, text } from './inputs.ts';
import { PARSE_MODES, parseMode } from './message-actions.ts';
import { defineOperation, fieldsBeside } from './operation.ts';
import { type Answer, defineResource, type Row } from './resource.ts';

const TEXT_NOTE =
  'The text. `{first_name}` and `{username}` stand for those of the person in the chat; the console fills them in.';
const BOTS_NOTE = 'The bots for whose chats it is meant. null: all.';

export const replyResource = defineResource('Reply', {
  id: { stored: filled(column.bigint), shown: ownIdField },
  name: {
    stored: column.text(),
    shown: z.string().describe('A name by which people find it.'),
    input: text({ min: 1, max: 64 }).regex(/\S/, 'must not be blank').describe('A name by which people find it.'),
  },
  text: {
    stored: column.text(),
    shown: z.string().describe(TEXT_NOTE),
    input: text({ min: 1, max: 4096 }).regex(/\S/, 'must not be blank').describe(TEXT_NOTE),
  },
  parse_mode: {
    stored: orNull(column.text<(typeof PARSE_MODES)[number]>()),
    shown: z.enum(PARSE_MODES).describe('How the text is marked up. Absent: not at all.').optional(),
    input: nullable(parseMode).describe('How the text is marked up. null: not at all.'),
    initial: null,
  },
  bot_ids: {
    stored: orNull(column.jsonb<number[]>()),
    shown: z.array(z.int()).nullable().describe(`${BOTS_NOTE} Of several, those that the caller sees.`),
    input: nullable(ownIds(1000)).describe(`${BOTS_NOTE} Only an admin who sees all bots may give null.`),
    initial: null,
  },
  created_at: { stored: filled(column.timestamptz), shown: createdAtField },
});

export type Reply = Row<typeof replyResource>;
export type ReplyResource = Answer<typeof replyResource>;

const REPLY: ReplyResource = {
  id: 4,
  name: 'Order on its way',
  text: 'Hello {first_name}, your order is on its way.',
  bot_ids: [EXAMPLE_BOT_ID],
  created_at: '2026-01-02T10:20:00.000Z',
};

const changeInputs = { id: ownId(), ...replyResource.changeInputs };

export const replyOperations = {
  listReplies: defineOperation({
    method: 'GET',
    paths: ['/api/replies'],
    role: 'any',
    summary: 'Lists the saved replies for bots that the caller sees, by name.',
    input: z.object({ bot_id: anyBotId(), ...pagedInputs() }),
    output: z.array(replyResource.answer),
    botInputs: ['bot_id'],
    example: { input: { bot_id: EXAMPLE_BOT_ID }, output: [REPLY] },
  }),

  showReply: defineOperation({
    method: 'GET',
    paths: ['/api/replies/show'],
    role: 'any',
    versioned: 'shown',
    summary: 'Shows a saved reply.',
    input: z.object({ id: ownId() }),
    output: replyResource.answer,
    errors: ['not_found'],
    example: { input: { id: 4 }, output: REPLY },
  }),

  addReply: defineOperation({
    method: 'POST',
    audit: ['reply_add'],
    paths: ['/api/replies/add'],
    role: 'any',
    versioned: 'shown',
    summary: 'Saves a reply for the chats of some bots, or of all. There are at most 1,000.',
    input: z.object(replyResource.addInputs),
    output: replyResource.answer,
    readOnlyFields: fieldsBeside(replyResource.answer, replyResource.addInputs),
    errors: ['not_found', 'conflict'],
    example: { input: { name: REPLY.name, text: REPLY.text, bot_ids: [EXAMPLE_BOT_ID] }, output: REPLY },
  }),

  updateReply: defineOperation({
    method: 'POST',
    audit: ['reply_update'],
    paths: ['/api/replies/update'],
    role: 'any',
    versioned: 'changed',
    summary: 'Changes the given fields of a saved reply. The caller must see all its bots.',
    input: z.object(changeInputs),
    output: replyResource.answer,
    readOnlyFields: fieldsBeside(replyResource.answer, changeInputs),
    errors: ['not_found'],
    example: { input: { id: 4, name: 'Sent' }, output: { ...REPLY, name: 'Sent' } },
  }),

  deleteReply: defineOperation({
    method: 'POST',
    audit: ['reply_delete'],
    paths: ['/api/replies/delete'],
    role: 'any',
    versioned: 'deleted',
    summary: 'Deletes a saved reply. The caller must see all its bots.',
    input: z.object({ id: ownId() }),
    output: okAnswer,
    readOnlyFields: fieldsBeside(replyResource.answer, { id: true }),
    errors: ['not_found'],
    example: { input: { id: 4 }, output: { ok: true } },
  }),
};

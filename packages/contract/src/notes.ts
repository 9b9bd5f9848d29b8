import { z } from 'zod';
import { column, filled, orNull } from './columns.ts';
import { CONVERSATION_ERRORS } from './errors.ts';
import { EXAMPLE_BOT_ID, EXAMPLE_CHAT, EXAMPLE_CHAT_ID } from './examples.ts';
import {
  botIdField,
  businessConnectionField,
  chatIdField,
  createdAtField,
  okAnswer,
  ownIdField,
  usernameField,
} from './fields.ts';
import {
  anyBotId,
  botId,
  businessConnectionId,
  chatId,
  flag,
  ownId,
  ownIds,
  pagedInputs,
  platformId,
  text,
} from './inputs.ts';
import { defineOperation, fieldsBeside } from './operation.ts';
import { type Answer, defineResource, type Row } from './resource.ts';

const MOST_MENTIONS = 20;
const MENTIONS_NOTE = 'The accounts that it is meant for, which are told of it: accounts that have the bot.';

/** A text of the team about a chat, for each other. The platform never gets it. */
export const note = defineResource('Note', {
  id: { stored: filled(column.bigint), shown: ownIdField },
  bot_id: { stored: column.bigint, shown: botIdField, filter: anyBotId() },
  chat_id: {
    stored: column.bigint,
    shown: chatIdField,
    filter: platformId().optional().describe("Only notes about this chat, by the platform's id."),
  },
  /** '' for the chat of the bot itself. */
  business_connection_id: {
    stored: filled(column.text()),
    shown: businessConnectionField.optional(),
    filter: businessConnectionId()
      .optional()
      .describe('Only notes about this conversation of the chat; empty: about that of the bot itself.'),
  },
  account_id: {
    stored: orNull(column.bigint),
    shown: z.int().describe('The account that wrote it. Absent: it was deleted.').optional(),
  },
  account: { stored: column.text(), shown: usernameField.describe('The username of its author, as it was then.') },
  account_name: { shown: z.string().describe('The name of its author for people.').optional() },
  text: {
    stored: column.text(),
    shown: z.string().describe('The text.'),
    input: text({ min: 1, max: 4000 }).regex(/\S/, 'must not be blank').describe('The text.'),
  },
  mentions: {
    stored: filled(column.jsonb<number[]>()),
    shown: z.array(z.int()).describe(MENTIONS_NOTE),
    input: ownIds(MOST_MENTIONS).describe(MENTIONS_NOTE),
    initial: [],
  },
  /** Those of `mentions` that have not opened the chat since. */
  unread_by: { stored: filled(column.jsonb<number[]>()) },
  /** The text without case and accents, in which notes are looked for. */
  search_text: { stored: column.text() },
  created_at: { stored: filled(column.timestamptz), shown: createdAtField },
  edited_at: {
    stored: orNull(column.timestamptz),
    shown: z.iso.datetime().describe('When it was last changed. Absent: never.').optional(),
  },
});

export type NoteRow = Row<typeof note>;
export type NoteResource = Answer<typeof note>;

export const NOTE: NoteResource = {
  id: 31,
  bot_id: EXAMPLE_BOT_ID,
  chat_id: EXAMPLE_CHAT_ID,
  account_id: 2,
  account: 'ada',
  account_name: 'Ada',
  text: 'Refund agreed, wait for the bank.',
  mentions: [3],
  created_at: '2026-01-02T10:20:00.000Z',
};

const inConversation = {
  bot_id: botId(),
  chat_id: chatId(),
  business_connection_id: businessConnectionId().optional(),
};
const addInputs = { ...inConversation, ...note.addInputs };
const changeInputs = { id: ownId(), ...note.changeInputs };

export const noteOperations = {
  listNotes: defineOperation({
    method: 'GET',
    paths: ['/api/notes'],
    role: 'any',
    summary: 'Lists the internal notes about chats of bots that the caller sees, newest first.',
    description: 'An account runs at most four searches at once, and this counts as one.',
    input: z.object({
      ...note.filters,
      q: text({ max: 256 }).optional().describe('A part of the text. Case and accents do not matter.'),
      unread: flag()
        .default(false)
        .describe('True: only notes that mention the account of the caller, and that it has not read.'),
      ...pagedInputs({ default: 50, max: 200 }),
    }),
    output: z.array(note.answer),
    limits: ['searches'],
    errors: ['too_many_requests'],
    botInputs: ['bot_id'],
    example: { input: EXAMPLE_CHAT, output: [NOTE] },
  }),

  showNote: defineOperation({
    method: 'GET',
    paths: ['/api/notes/show'],
    role: 'any',
    versioned: 'shown',
    summary: 'Shows an internal note.',
    input: z.object({ id: ownId() }),
    output: note.answer,
    errors: ['not_found'],
    example: { input: { id: 31 }, output: NOTE },
  }),

  addNote: defineOperation({
    method: 'POST',
    audit: ['note_add'],
    paths: ['/api/notes/add'],
    role: 'any',
    versioned: 'shown',
    summary: 'Writes an internal note about a chat. People in the chat and the platform never see it.',
    description:
      'Accounts that are mentioned hear of it by the event `note` of their live streams, and find it with `unread` until they open the chat. A chat has at most 1,000 notes; 409 for one more.',
    input: z.object(addInputs),
    output: note.answer,
    botInputs: ['bot_id'],
    readOnlyFields: fieldsBeside(note.answer, addInputs),
    errors: [...CONVERSATION_ERRORS, 'not_found', 'conflict'],
    example: { input: { ...EXAMPLE_CHAT, text: NOTE.text, mentions: [3] }, output: NOTE },
  }),

  updateNote: defineOperation({
    method: 'POST',
    audit: ['note_update'],
    paths: ['/api/notes/update'],
    role: 'any',
    versioned: 'changed',
    summary: 'Changes the given fields of a note. Only its author and admins may.',
    input: z.object(changeInputs),
    output: note.answer,
    readOnlyFields: fieldsBeside(note.answer, changeInputs),
    errors: ['not_found'],
    example: {
      input: { id: 31, text: 'Refunded.' },
      output: { ...NOTE, text: 'Refunded.', edited_at: '2026-01-02T11:20:00.000Z' },
    },
  }),

  deleteNote: defineOperation({
    method: 'POST',
    audit: ['note_delete'],
    paths: ['/api/notes/delete'],
    role: 'any',
    versioned: 'deleted',
    summary: 'Deletes a note. Only its author and admins may.',
    input: z.object({ id: ownId() }),
    output: okAnswer,
    readOnlyFields: fieldsBeside(note.answer, { id: true }),
    errors: ['not_found'],
    example: { input: { id: 31 }, output: { ok: true } },
  }),

  markNotesRead: defineOperation({
    method: 'POST',
    // A mark is personal. It changes nothing for anybody else.
    audit: [],
    paths: ['/api/notes/read'],
    role: 'any',
    summary: 'Marks the notes about a chat that mention the account as read.',
    input: z.object(inConversation),
    output: okAnswer,
    errors: CONVERSATION_ERRORS,
    botInputs: ['bot_id'],
    example: { input: EXAMPLE_CHAT, output: { ok: true } },
  }),
};

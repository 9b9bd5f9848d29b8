import { z } from 'zod';
import { ATTENTION_KINDS } from './attention.ts';
import { BOT_SORTS } from './bots.ts';
import { CHAT_QUEUES, CHAT_TYPES } from './chat-queues.ts';
import { column, filled } from './columns.ts';
import { createdAtField, okAnswer, ownIdField } from './fields.ts';
import { jsonObject, ownId, text } from './inputs.ts';
import { label } from './labels.ts';
import { defineOperation, fieldsBeside } from './operation.ts';
import { type Answer, defineResource, type Row } from './resource.ts';
import { tagText } from './tags.ts';

/** The screens whose filters can be saved. */
export const VIEWED_SCREENS = ['inbox', 'fleet'] as const;

export type ViewedScreen = (typeof VIEWED_SCREENS)[number];

const FILTER_NOTE =
  'What it shows. Of the inbox: inputs of `GET /api/chats` (`queue`, `bot_id`, `type`, `tag`, `unread`). Of the fleet: inputs of `GET /api/bots` (`state`, `label`, `attention`, `sort`). Of both: `q`.';

/** A part of names, on both screens. */
const named = { q: text({ max: 256 }).optional().describe('A part of the name or username.') };

/** Flags are there or not, as in an address. */
const FILTERS = {
  inbox: {
    queue: z.enum(CHAT_QUEUES).optional().describe('The queue of the desk.'),
    bot_id: ownId().optional(),
    type: z.enum(CHAT_TYPES).optional().describe('The type of the chat.'),
    tag: tagText().optional().describe('A tag of its person.'),
    ...named,
    unread: z.literal(true).optional().describe('Only those with messages that the account has not read.'),
  },
  fleet: {
    ...named,
    state: z.enum(['disabled']).optional().describe('Only bots that are switched off.'),
    label: label().optional().describe('Only bots with this label.'),
    attention: z.enum(ATTENTION_KINDS).optional().describe('Only bots with this in their `attention`.'),
    sort: z.enum(BOT_SORTS).optional().describe('The order of the bots.'),
  },
} as const satisfies Record<ViewedScreen, z.ZodRawShape>;

const filterFields = { ...FILTERS.inbox, ...FILTERS.fleet };

/** Those of these filters that the screen does not have. */
export function foreignFilters(screen: ViewedScreen, filter: SavedFilter): string[] {
  return Object.keys(filter).filter((name) => !(name in FILTERS[screen]));
}

const SCREEN_NOTE = 'The screen of the view: the inbox, or the list of bots.';

/** A filter of a screen that an account keeps under a name. */
export const savedView = defineResource('SavedView', {
  id: { stored: filled(column.bigint), shown: ownIdField },
  account_id: { stored: column.bigint },
  screen: {
    stored: filled(column.text<ViewedScreen>()),
    input: z.enum(VIEWED_SCREENS).describe(SCREEN_NOTE),
    initial: 'inbox',
  },
  name: {
    stored: column.text(),
    shown: z.string().describe('A name for people.'),
    input: text({ min: 1, max: 64 }).regex(/\S/, 'must not be blank').describe('A name for people.'),
  },
  filter: {
    stored: column.jsonb<SavedFilter>(),
    shown: z.strictObject(filterFields).describe(FILTER_NOTE),
    input: jsonObject(filterFields).describe(FILTER_NOTE),
  },
  created_at: { stored: filled(column.timestamptz), shown: createdAtField },
});

export type SavedFilter = z.output<z.ZodObject<typeof filterFields>>;
export type SavedViewRow = Row<typeof savedView>;
export type SavedViewResource = Answer<typeof savedView>;

const VIEW: SavedViewResource = {
  id: 2,
  name: 'Refunds that wait',
  filter: { queue: 'waiting', tag: 'refund' },
  created_at: '2026-01-02T10:20:00.000Z',
};

// A view is personal, and changes nothing for anybody else.
const own = { method: 'POST', role: 'any', audit: [], stores: true } as const;

export const savedViewOperations = {
  listSavedViews: defineOperation({
    method: 'GET',
    paths: ['/api/views', '/api/chats/views'],
    role: 'any',
    summary:
      "Lists the account's own saved views of a screen, by name. There are at most 50. A key that is limited to some bots has none.",
    input: z.object({ screen: savedView.addInputs.screen }),
    output: z.array(savedView.answer),
    example: { input: {}, output: [VIEW] },
  }),

  addSavedView: defineOperation({
    ...own,
    paths: ['/api/views/add', '/api/chats/views/add'],
    summary: 'Saves a view of a screen for the account. One of the same name is replaced.',
    input: z.object(savedView.addInputs),
    output: savedView.answer,
    readOnlyFields: fieldsBeside(savedView.answer, savedView.addInputs),
    errors: ['conflict'],
    example: { input: { name: VIEW.name, filter: VIEW.filter }, output: VIEW },
  }),

  renameSavedView: defineOperation({
    ...own,
    paths: ['/api/views/rename'],
    summary: "Gives one of the account's saved views another name.",
    input: z.object({ id: ownId(), name: savedView.addInputs.name }),
    output: savedView.answer,
    readOnlyFields: fieldsBeside(savedView.answer, { id: true, name: true }),
    errors: ['not_found', 'conflict'],
    example: { input: { id: 2, name: 'Refunds' }, output: { ...VIEW, name: 'Refunds' } },
  }),

  deleteSavedView: defineOperation({
    ...own,
    paths: ['/api/views/delete', '/api/chats/views/delete'],
    summary: "Deletes one of the account's saved views.",
    input: z.object({ id: ownId() }),
    output: okAnswer,
    readOnlyFields: fieldsBeside(savedView.answer, { id: true }),
    errors: ['not_found'],
    example: { input: { id: 2 }, output: { ok: true } },
  }),
};

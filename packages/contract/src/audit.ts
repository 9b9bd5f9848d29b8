import { z } from 'zod';
import { AUDIT_ACTIONS, type AuditAction, auditAction } from './audit-actions.ts';
import { column, filled, orNull } from './columns.ts';
import { EXAMPLE_BOT_ID, EXAMPLE_CHAT, EXAMPLE_CHAT_ID, EXAMPLE_USER_ID } from './examples.ts';
import { businessConnectionField, ownIdField, requestIdField } from './fields.ts';
import { botIdOfChat, chatId, moment, ownId, pagedInputs, text } from './inputs.ts';
import { defineOperation } from './operation.ts';
import { type Answer, defineResource, type Row } from './resource.ts';

const ACTOR_KINDS = ['account', 'key', 'bot'] as const;

/** The actions of people and bots. Entries about accounts and settings outlive a deleted bot. */
export const auditEntry = defineResource('AuditEntry', {
  id: { stored: filled(column.bigint), shown: ownIdField },
  /** 0: in a chat whose id is not known; `details` names it. */
  chat_id: {
    stored: orNull(column.bigint),
    shown: z.int().optional().describe('The chat in which it happened. Absent: in no chat.'),
  },
  /** '' outside business connections. */
  business_connection_id: { stored: filled(column.text()), shown: businessConnectionField.optional() },
  bot_id: {
    stored: orNull(column.bigint),
    shown: z
      .int()
      .optional()
      .describe('The bot that it was done to, or that did it. The bot may have been deleted since.'),
  },
  action: {
    stored: column.text<AuditAction>(),
    shown: auditAction.describe('What was done. `AuditAction` lists all actions.'),
  },
  /** An account that used an API key has `actor_key_id` set. */
  actor_kind: {
    stored: column.text<'account' | 'bot'>(),
    shown: z
      .enum(ACTOR_KINDS)
      .describe('account: a person. key: a program with an API key. bot: the program of the bot, with its token.'),
  },
  actor_id: {
    stored: orNull(column.bigint),
    shown: z
      .int()
      .optional()
      .describe(
        'The account that acted, also with one of its keys; or the bot. Absent: nobody was signed in, or it was a bot that the caller does not see.',
      ),
  },
  actor_username: {
    stored: orNull(column.text()),
    shown: z.string().optional().describe('The username of the actor at that time.'),
  },
  actor_key_id: {
    stored: orNull(column.bigint),
    shown: z.int().optional().describe('The API key that was used. Only admins see it.'),
  },
  address: {
    stored: orNull(column.text()),
    shown: z.string().optional().describe('The network address that the call came from. Only admins see it.'),
  },
  request_id: { stored: orNull(column.text()), shown: requestIdField.optional() },
  target_id: {
    stored: orNull(column.bigint),
    shown: z
      .int()
      .optional()
      .describe('The user, message or account that the action was done to. Of several messages, the first.'),
  },
  target_username: {
    stored: orNull(column.text()),
    shown: z.string().describe('The username of that user, as last seen in the chat.').optional(),
  },
  details: {
    stored: filled(column.text()),
    shown: z
      .string()
      .describe(
        'What changed, as `field: old → new`; of an object, each of its fields, such as `filter.keyword`. Of a secret it says only that it changed. Long values are cut.',
      ),
  },
  date: { stored: column.bigint, shown: z.int().describe('Unix seconds.') },
  /** Prevents a repeated entry: 'call:<process>:<number>' for a captured call, or a name that its writer chose. */
  capture_key: { stored: orNull(column.text()) },
});

export type AuditEntry = Row<typeof auditEntry>;
export type AuditEntryResource = Answer<typeof auditEntry>;

export const AUDIT_ENTRY: AuditEntryResource = {
  id: 90,
  chat_id: EXAMPLE_CHAT_ID,
  bot_id: EXAMPLE_BOT_ID,
  action: 'ban',
  actor_kind: 'key',
  actor_id: 1,
  actor_username: 'admin',
  actor_key_id: 12,
  address: '192.0.2.10',
  request_id: '0d2f6f4a-6f0b-4a0e-9a34-0d5f7f0f6a11',
  target_id: EXAMPLE_USER_ID,
  target_username: 'ada',
  details: '',
  date: 1767349000,
};

export const auditOperations = {
  listAuditEntries: defineOperation({
    method: 'GET',
    paths: ['/api/adminlog'],
    role: 'any',
    summary: 'Lists who did what, newest first: in one chat, or for admins in the whole fleet.',
    description: `With \`chat_id\` it lists the entries of that chat. Everybody who sees the bot may read them.

Without \`chat_id\` the call is for admins only. With \`bot_id\` it lists what was done to that bot and by it, also after
the bot was deleted. Without both it lists the whole fleet; a key that is limited to some bots does not see that.

All given filters must match. Only admins see addresses and keys.

Every change leaves an entry. If the entry cannot be written, the change is refused with 503. A refused call leaves no
entry, except when failed sign-ins reach the limit.`,
    input: z.object({
      id: ownId().optional().describe('Only this entry.'),
      bot_id: botIdOfChat(),
      chat_id: chatId().optional(),
      action: z.enum(AUDIT_ACTIONS).optional().describe('Only this action. `AuditAction` says what each one means.'),
      actor: text({ min: 1, max: 64 }).optional().describe('Only what this account did: its username, or its id.'),
      from: moment().optional().describe('Only entries of this time or later: Unix seconds, or ISO 8601 with a zone.'),
      to: moment().optional().describe('Only entries before this time, in the same forms.'),
      ...pagedInputs({ default: 50, max: 200 }),
    }),
    output: z.array(auditEntry.answer),
    botInputs: ['bot_id'],
    example: { input: { ...EXAMPLE_CHAT, action: 'ban', actor: 'admin', from: 1767312000 }, output: [AUDIT_ENTRY] },
  }),
};

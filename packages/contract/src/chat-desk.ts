import { z } from 'zod';
import { CHAT, chatResource, oneConversation } from './chats.ts';
import { CONVERSATION_ERRORS } from './errors.ts';
import { EXAMPLE_CHAT } from './examples.ts';
import { botIdField, businessConnectionField, chatIdField, okField, ownIdField, usernameField } from './fields.ts';
import { anyBotId, botId, businessConnectionId, chatId, flag, integer, nullable, ownId } from './inputs.ts';
import { defineOperation, fieldsBeside } from './operation.ts';

/** An account that a chat can be given to. */
const assigneeResource = z
  .strictObject({
    id: ownIdField,
    username: usernameField,
    display_name: z.string().describe('The name for people; may be empty.'),
  })
  .meta({ id: 'Assignee' });

const conversationInputs = {
  bot_id: botId(),
  chat_id: chatId(),
  business_connection_id: businessConnectionId().optional(),
};

const assignInputs = {
  ...conversationInputs,
  account_id: nullable(ownId()).describe('An account that has the bot. null: nobody.'),
};

const MOST_MINUTES = 1440;
const takeoverInputs = {
  ...conversationInputs,
  minutes: integer({ min: 1, max: MOST_MINUTES }).default(60).describe('For how long.'),
};
const releaseInputs = {
  ...conversationInputs,
  deliver_missed: flag()
    .default(false)
    .describe(
      'True: the bot gets the updates that were held, in order, under new ids. At most the newest 1,000 are kept, until 24 h after the hold. False: they are in the history only.',
    ),
};

const DOINGS = ['viewing', 'typing', 'left'] as const;

const presentResource = z
  .strictObject({
    bot_id: botIdField,
    chat_id: chatIdField,
    business_connection_id: businessConnectionField.optional(),
    account_id: ownIdField,
    account: z.string().describe('The name for people.'),
    doing: z.enum(['viewing', 'typing']).describe('typing: the account has written in the field in the last 6 s.'),
  })
  .meta({ id: 'Present' });

const PRESENT = { ...EXAMPLE_CHAT, account_id: 2, account: 'Ada', doing: 'typing' } as const;

const presenceInputs = {
  ...conversationInputs,
  doing: z.enum(DOINGS).describe('left: the account does not look at the chat any more.'),
};

/** How people work with chats: whose a chat is, whether it is done, and who answers in it. */
export const chatDeskOperations = {
  listAssignees: defineOperation({
    method: 'GET',
    paths: ['/api/chats/assignees'],
    role: 'any',
    summary: 'Lists the accounts that have a bot, so that its chats can be given to them, by name.',
    input: z.object({ bot_id: botId() }),
    output: z.array(assigneeResource),
    botInputs: ['bot_id'],
    example: { input: { bot_id: 7 }, output: [{ id: 2, username: 'ada', display_name: 'Ada' }] },
  }),

  assignChat: defineOperation({
    method: 'POST',
    audit: ['chat_assign'],
    paths: ['/api/chats/assign'],
    role: 'any',
    summary: 'Gives a chat to an account that has its bot, or to nobody.',
    input: z.object(assignInputs),
    output: chatResource,
    botInputs: ['bot_id'],
    readOnlyFields: fieldsBeside(chatResource, assignInputs),
    example: {
      input: { ...EXAMPLE_CHAT, account_id: 2 },
      output: { ...CHAT, assigned_to: 2, assigned_to_name: 'Ada' },
    },
  }),

  markChatDone: defineOperation({
    ...oneConversation,
    method: 'POST',
    audit: ['chat_done'],
    paths: ['/api/chats/done'],
    role: 'any',
    summary: 'Marks a chat as done. The next message of a person opens it.',
    output: chatResource,
    readOnlyFields: fieldsBeside(chatResource, oneConversation.input.shape),
    example: { input: EXAMPLE_CHAT, output: { ...CHAT, state: 'done', awaits_answer: false } },
  }),

  reopenChat: defineOperation({
    ...oneConversation,
    method: 'POST',
    audit: ['chat_reopen'],
    paths: ['/api/chats/reopen'],
    role: 'any',
    summary: 'Marks a chat that is done as open.',
    output: chatResource,
    readOnlyFields: fieldsBeside(chatResource, oneConversation.input.shape),
    example: { input: EXAMPLE_CHAT, output: CHAT },
  }),

  notePresence: defineOperation({
    method: 'POST',
    // Nothing of it is kept.
    audit: [],
    paths: ['/api/chats/presence'],
    role: 'any',
    summary: 'Says that the account looks at a chat, or writes in its field, and lists the other accounts that do.',
    description:
      'Say it every 10 s, or ask `GET /api/chats/show` with `viewing`; after 25 s without it the account counts as gone. Streams of accounts that have the bot get the event `presence`. It is kept for 25 s, and only in memory, of the 8 chats of a bot that the account was in last. 404 if the bot does not know the chat.',
    input: z.object(presenceInputs),
    output: z.array(presentResource),
    botInputs: ['bot_id'],
    errors: [...CONVERSATION_ERRORS, 'not_found'],
    example: { input: { ...EXAMPLE_CHAT, doing: 'viewing' }, output: [PRESENT] },
  }),

  listPresence: defineOperation({
    method: 'GET',
    paths: ['/api/chats/presence'],
    role: 'any',
    summary: 'Lists the accounts that have chats of bots open that the caller sees.',
    input: z.object({ bot_id: anyBotId() }),
    output: z.array(presentResource),
    botInputs: ['bot_id'],
    example: { input: {}, output: [PRESENT] },
  }),

  takeOverChat: defineOperation({
    method: 'POST',
    audit: ['chat_takeover'],
    paths: ['/api/chats/takeover'],
    role: 'any',
    summary: 'Takes a chat over from the bot, so that a person can answer.',
    description: `While it is held, what is said in the chat (messages, edits, presses of buttons, reactions, members; no payments) goes to the history, the
inbox, live streams, and to programs and named consumers with \`sees_held\`. The backend, the default poll and the other programs do
not get them, and routing rules do not see them. It holds in every process at once. Updates that were accepted before are still
delivered.

It ends by itself after its time, which begins anew with each call, and with each message of a signed-in person to the chat; with those of an API key only if they have \`renews_hold\`. If Redis loses its data, it ends too: then the bot answers again.`,
    input: z.object(takeoverInputs),
    output: chatResource,
    botInputs: ['bot_id'],
    readOnlyFields: fieldsBeside(chatResource, takeoverInputs),
    example: {
      input: { ...EXAMPLE_CHAT, minutes: 30 },
      output: { ...CHAT, held_until: '2026-01-02T10:45:00.000Z', held_by: 'account:ada', missed: 0 },
    },
  }),

  releaseChat: defineOperation({
    method: 'POST',
    audit: ['chat_release'],
    paths: ['/api/chats/release'],
    role: 'any',
    summary: 'Gives a chat that was taken over back to its bot.',
    description:
      'What was held is delivered before anything newer of the chat. Programs that saw it do not get it again, and routing rules do not see it. For 24 h after a hold ended by itself, this delivers what was missed, or forgets it.',
    input: z.object(releaseInputs),
    output: z.strictObject({
      ok: okField,
      delivered: z.int().describe('How many updates were delivered that had been held.'),
    }),
    botInputs: ['bot_id'],
    readOnlyFields: fieldsBeside(chatResource, releaseInputs),
    errors: [...CONVERSATION_ERRORS, 'conflict'],
    example: { input: { ...EXAMPLE_CHAT, deliver_missed: true }, output: { ok: true, delivered: 3 } },
  }),
};

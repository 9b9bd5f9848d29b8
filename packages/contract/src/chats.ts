import { z } from 'zod';
import { CHAT_QUEUES, CHAT_TYPES, QUEUE_NOTE, queueCounts } from './chat-queues.ts';
import { DESK_LOG, DESK_LOG_ENTRIES, deskEntry } from './desk-log.ts';
import { CONVERSATION_ERRORS, PLATFORM_ERRORS } from './errors.ts';
import { EXAMPLE_CHAT, EXAMPLE_CHAT_ID, EXAMPLE_USER_ID } from './examples.ts';
import { botIdField, nameFields, okAnswer } from './fields.ts';
import { botId, businessConnectionId, chatId, flag, integer, ownId, ownIds, pagedInputs, text } from './inputs.ts';
import { messageResource } from './messages.ts';
import { defineOperation, fieldsBeside } from './operation.ts';
import { tagText } from './tags.ts';

/** A chat, as one of the bots knows it. */
export type ChatOfBot = { bot_id: number; chat_id: number };

const CHAT_STATES = ['open', 'done'] as const;

const { shape: ofMessage } = messageResource;

const lastMessageResource = z
  .strictObject({
    id: ofMessage.id,
    date: ofMessage.date,
    user_id: ofMessage.user_id,
    username: ofMessage.username,
    first_name: ofMessage.first_name,
    last_name: ofMessage.last_name,
    text: z.string().describe('The first 200 characters of the text.').optional(),
    media_type: ofMessage.media_type,
    service: ofMessage.service,
    outgoing: ofMessage.outgoing,
    program_id: ofMessage.program_id,
    program: ofMessage.program,
    automatic: ofMessage.automatic,
    account: ofMessage.account,
    account_id: ofMessage.account_id,
    account_name: ofMessage.account_name,
    business_connection_id: ofMessage.business_connection_id,
  })
  .meta({ id: 'LastMessage' });

/** Unread chats are counted among so many, of each bot among so many, and up to so many. */
export const UNREAD_AMONG = 1_000;
export const UNREAD_AMONG_OF_BOT = 200;
export const MOST_UNREAD_CHATS = 100;

/** The most chats in one answer with `order=recent`. */
export const RECENT_CHATS = 200;

export const chatResource = z
  .strictObject({
    id: z.int().describe("The platform's id of the chat."),
    bot_id: botIdField,
    title: z.string().describe('The title. Of a private chat, the name of the person.').optional(),
    type: z.enum(CHAT_TYPES).describe("The kind of chat, in the platform's words."),
    ...nameFields,
    migrated_to_chat_id: z
      .int()
      .describe(
        'The supergroup that this group became. Its messages stay here; rules, filters, tokens, tags and people belong to the supergroup.',
      )
      .optional(),
    message_count: z.int().describe('The number of messages that are kept and not deleted.'),
    blocked: z
      .boolean()
      .describe(
        'True: the bot cannot write there, because the person has blocked it or it was removed. A refusal of a message of the outbox says so, or an update; the next message of the person ends it.',
      ),
    bot_name: z.string().describe('With `order=recent` and of one chat: the name of the bot.').optional(),
    bot_username: z
      .string()
      .describe('With `order=recent` and of one chat: the username of the bot, without @.')
      .optional(),
    business_connection_id: z
      .string()
      .describe('The business connection of the conversation. Absent: the chat of the bot itself.')
      .optional(),
    last_message: lastMessageResource
      .describe('With `order=recent`: the newest message that is kept and not deleted. Absent if there is none.')
      .optional(),
    unread: z
      .int()
      .describe(
        'With `order=recent`: how many messages of people came after the last one that the account has read, and after the last one of the bot. Events of the chat and presses of buttons do not count. They are counted among the newest 200 messages of the chat; 100 means 100 or more.',
      )
      .optional(),
    read_message_id: z
      .int()
      .describe('With `order=recent`: the message up to which the account has read. Absent if it marked none.')
      .optional(),
    state: z.enum(CHAT_STATES).describe('done: somebody marked it as done, and no person has written since.'),
    awaits_answer: z
      .boolean()
      .describe(
        'True if neither the bot nor a person has answered the newest message of a person, and the chat is not done. Always false in channels.',
      ),
    waiting_since: z.iso
      .datetime()
      .describe(
        'With `order=recent` and `order=waiting`: when the first message came that is not answered. Absent: none waits.',
      )
      .optional(),
    held_until: z.iso
      .datetime()
      .describe('Until when a person has taken it over, so that the bot gets nothing of it. Absent: the bot answers.')
      .optional(),
    held_by: z
      .string()
      .describe('Who has: `account:<username>`, `rule:<id>`, or `owner` of the business account.')
      .optional(),
    missed: z
      .int()
      .describe('How many updates are kept, to be delivered when it is released. Also after a hold ended by itself.')
      .optional(),
    missed_until: z.iso
      .datetime()
      .describe('After a hold that ended by itself: until when `POST /api/chats/release` can deliver what was missed.')
      .optional(),
    assigned_to: z.int().describe('The account that looks after it. Absent: nobody.').optional(),
    assigned_to_name: z.string().describe('The name of that account.').optional(),
  })
  .meta({ id: 'Chat' });

export type ChatResource = z.infer<typeof chatResource>;

const shownChatResource = chatResource
  .extend({
    pinned_message_ids: z
      .array(z.int())
      .describe(
        'The messages that bots and accounts have pinned, from the newest 500 audit entries of pins. Pins by people are not known.',
      ),
    topic_count: z.int().describe('How many topics of the chat are known; 0 outside forums.'),
    scheduled_count: z.int().describe('How many messages to the chat wait in the outbox for their time.'),
    desk_log: z
      .array(deskEntry)
      .describe(
        `What stands beside its messages, newest first: the newest ${DESK_LOG_ENTRIES} of its notes, and of the acts of people in it, as far as they are among its newest 500 audit entries.`,
      ),
  })
  .meta({ id: 'ShownChat' });

export type ShownChatResource = z.infer<typeof shownChatResource>;

/** In examples. */
export const CHAT: ChatResource = {
  id: EXAMPLE_CHAT_ID,
  bot_id: 7,
  title: 'Customers',
  type: 'supergroup',
  username: 'customers',
  message_count: 1234,
  state: 'open',
  awaits_answer: true,
  blocked: false,
};

const RECENT_CHAT: ChatResource = {
  ...CHAT,
  bot_name: 'Help desk',
  bot_username: 'helpdesk_bot',
  last_message: {
    id: 501,
    date: 1767348900,
    user_id: EXAMPLE_USER_ID,
    username: 'ada',
    first_name: 'Ada',
    text: 'Where is my order?',
    outgoing: false,
  },
  unread: 2,
  read_message_id: 498,
};

const readInputs = {
  bot_id: botId(),
  chat_id: chatId(),
  business_connection_id: businessConnectionId().optional(),
  message_id: integer().describe('The newest message that was read. Its id is negative for a callback.'),
};

/** The inputs of what is done with one chat. */
const oneChat = { input: z.object({ bot_id: botId(), chat_id: chatId() }), botInputs: ['bot_id'] } as const;

/** The inputs of what is done with one conversation. */
export const oneConversation = {
  input: oneChat.input.extend({ business_connection_id: businessConnectionId().optional() }),
  botInputs: ['bot_id'],
  errors: CONVERSATION_ERRORS,
} as const;

export const chatOperations = {
  listChats: defineOperation({
    method: 'GET',
    paths: ['/api/chats'],
    role: 'any',
    summary: 'Lists the chats in which a bot was seen: by id, or the one with the newest message first.',
    description: `A person who writes to the bot itself and to accounts of business connections has one row for each of these conversations, which
\`business_connection_id\` tells apart.

Without \`bot_id\` the chats of all bots that the caller sees are listed.

With \`order=recent\` chats are sorted by the date of the newest message that was ever stored (\`automatic\` ones do not count), then by \`bot_id\`, \`id\` and \`business_connection_id\`, all descending; chats without a message come last. So a chat keeps its position when its last message is deleted, and \`last_message\` is the one before. An answer has at most ${RECENT_CHATS} chats. A chat that gets a message while pages are read moves to the beginning of the list: it is not on later pages, and no other chat is missing or listed twice.`,
    input: z.object({
      bot_id: botId().optional(),
      order: z
        .enum(['id', 'recent', 'waiting'])
        .default('id')
        .describe(
          'id: by bot and id. recent: the newest message first, with `last_message` and `unread`. waiting: those that await an answer, the one that has waited longest first, with the same; paged by `offset` only.',
        ),
      queue: z.enum(CHAT_QUEUES).optional().describe(`Only chats of this queue of the inbox. ${QUEUE_NOTE}.`),
      tag: tagText().optional().describe('Only chats with somebody who has this tag, in any case.'),
      q: text({ max: 256 })
        .optional()
        .describe(
          'A part of the title, of a name or of the username (also as `@name`), or the id. Case and accents do not matter.',
        ),
      type: z.enum(CHAT_TYPES).optional().describe('Only chats of this kind.'),
      unread: flag()
        .default(false)
        .describe(
          'True: only chats with a message of a person that the account has not read and that was not answered. For `order=recent`.',
        ),
      assigned_to: z
        .union([ownId(), z.enum(['me', 'none'])], { error: 'must be the id of an account, me or none' })
        .optional()
        .describe('Only chats of this account: its id, `me`, or `none` for chats that nobody looks after.'),
      state: z.enum(CHAT_STATES).optional().describe('Only chats in this state.'),
      awaits_answer: flag().optional().describe('Only chats that await an answer, or only those that do not.'),
      held: flag().optional().describe('Only chats that somebody has taken over, or only those that nobody has.'),
      held_by: text({ min: 1, max: 256 })
        .optional()
        .describe('Only chats that this one has taken over: `me`, or as `held_by` of the answer says.'),
      ...pagedInputs(),
    }),
    output: z.array(chatResource),
    botInputs: ['bot_id'],
    example: { input: { order: 'recent', q: 'custom' }, output: [RECENT_CHAT] },
  }),

  showChat: defineOperation({
    ...oneConversation,
    method: 'GET',
    paths: ['/api/chats/show'],
    role: 'any',
    summary: 'Shows one chat as the list does, with what is pinned and how many topics it has.',
    description:
      'It says what Flotilla has stored, and asks the platform for nothing: `GET /api/chats/refresh` does that.',
    changes: true,
    input: oneConversation.input.extend({
      viewing: flag()
        .default(false)
        .describe('True: the account looks at the chat, as `POST /api/chats/presence` says it.'),
    }),
    output: shownChatResource,
    errors: [...CONVERSATION_ERRORS, 'not_found'],
    example: {
      input: EXAMPLE_CHAT,
      output: { ...RECENT_CHAT, pinned_message_ids: [498], topic_count: 0, scheduled_count: 0, desk_log: DESK_LOG },
    },
  }),

  countChatQueues: defineOperation({
    method: 'GET',
    paths: ['/api/chats/queues'],
    role: 'any',
    summary: 'Counts the chats of each queue of the inbox: those that `GET /api/chats` lists with `queue`.',
    input: z.object({ bot_ids: ownIds(1000).optional().describe('Only chats of these bots.') }),
    output: queueCounts,
    botsOf: ({ bot_ids: ids }) => ownIds(1000).safeParse(ids).data ?? [],
    example: { input: {}, output: { waiting: 4, mine: 2, unassigned: 3, held: 1, done: 12, all: 40 } },
  }),

  countUnreadChats: defineOperation({
    method: 'GET',
    paths: ['/api/chats/unread'],
    role: 'any',
    summary: 'Counts the chats with a message of a person that the account has not read and that was not answered.',
    description: `It looks at the ${UNREAD_AMONG} chats with the newest messages, of each bot at ${UNREAD_AMONG_OF_BOT} at most, so that it is cheap in fleets of any size.`,
    input: z.object({}),
    output: z
      .strictObject({ chats: z.int().describe(`How many; ${MOST_UNREAD_CHATS} means so many or more.`) })
      .meta({ id: 'UnreadChats' }),
    example: { input: {}, output: { chats: 3 } },
  }),

  markChatRead: defineOperation({
    method: 'POST',
    // A marker is personal and moves with every look at a chat. It changes nothing for anybody else.
    audit: [],
    paths: ['/api/chats/read'],
    role: 'any',
    summary: 'Marks the messages of a chat as read by the account, up to a message.',
    description:
      'The marker is that of the account, in all its sessions and for all its API keys. It never goes back: marking an older message changes nothing. It leaves no audit entry, because it is personal and changes nothing for anybody else.',
    input: z.object(readInputs),
    output: okAnswer,
    errors: [...CONVERSATION_ERRORS, 'not_found'],
    botInputs: ['bot_id'],
    example: { input: { ...EXAMPLE_CHAT, message_id: 501 }, output: { ok: true } },
  }),

  refreshChat: defineOperation({
    ...oneChat,
    method: 'GET',
    paths: ['/api/chats/refresh'],
    role: 'any',
    summary: 'Asks the platform for the current title and names of a chat, and stores them.',
    output: chatResource,
    errors: PLATFORM_ERRORS,
    example: { input: EXAMPLE_CHAT, output: CHAT },
  }),

  deleteChat: defineOperation({
    ...oneChat,
    method: 'POST',
    audit: ['chat_delete', 'chat_release'],
    paths: ['/api/chats/delete'],
    role: 'any',
    summary:
      'Removes a chat and its messages from Flotilla, with its conversations of business connections. Nothing changes at the platform.',
    description:
      'What waits in the outbox for the chat is removed unsent, with questions in the chat; if it is taken over, that ends, and what its bot missed is not delivered. Updates that wait for programs are still delivered.',
    output: okAnswer,
    readOnlyFields: fieldsBeside(chatResource, oneChat.input.shape),
    example: { input: EXAMPLE_CHAT, output: { ok: true } },
  }),
};

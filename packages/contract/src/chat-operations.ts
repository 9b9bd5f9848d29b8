import { z } from 'zod';
import { CHAT_QUEUES, CHAT_TYPES, QUEUE_NOTE, queueCounts } from './chat-queues.ts';
import {
  CHAT,
  CHAT_STATES,
  chatResource,
  MOST_UNREAD_CHATS,
  oneChat,
  oneConversation,
  RECENT_CHAT,
  RECENT_CHATS,
  shownChatResource,
  UNREAD_AMONG,
  UNREAD_AMONG_OF_BOT,
} from './chats.ts';
import { DESK_LOG } from './desk-log.ts';
import { CONVERSATION_ERRORS, PLATFORM_ERRORS } from './errors.ts';
import { EXAMPLE_CHAT } from './examples.ts';
import { okAnswer } from './fields.ts';
import { botId, businessConnectionId, chatId, flag, integer, ownId, ownIds, pagedInputs, text } from './inputs.ts';
import { defineOperation, fieldsBeside } from './operation.ts';
import { tagText } from './tags.ts';

const readInputs = {
  bot_id: botId(),
  chat_id: chatId(),
  business_connection_id: businessConnectionId().optional(),
  message_id: integer().describe('The newest message that was read. Its id is negative for a callback.'),
};

/** The inputs of what is done with one chat. */

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

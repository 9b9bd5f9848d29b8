import { z } from 'zod';
import { CHAT_TYPES } from './chat-queues.ts';
import { DESK_LOG_ENTRIES, deskEntry } from './desk-log.ts';
import { CONVERSATION_ERRORS } from './errors.ts';
import { EXAMPLE_CHAT_ID, EXAMPLE_USER_ID } from './examples.ts';
import { botIdField, nameFields } from './fields.ts';
import { botId, businessConnectionId, chatId } from './inputs.ts';
import { messageResource } from './messages.ts';

/** A chat, as one of the bots knows it. */
export type ChatOfBot = { bot_id: number; chat_id: number };

export const CHAT_STATES = ['open', 'done'] as const;

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

export const shownChatResource = chatResource
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

export const RECENT_CHAT: ChatResource = {
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

export const oneChat = { input: z.object({ bot_id: botId(), chat_id: chatId() }), botInputs: ['bot_id'] } as const;

/** The inputs of what is done with one conversation. */
export const oneConversation = {
  input: oneChat.input.extend({ business_connection_id: businessConnectionId().optional() }),
  botInputs: ['bot_id'],
  errors: CONVERSATION_ERRORS,
} as const;

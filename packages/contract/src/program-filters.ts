import { z } from 'zod';
import { flag, jsonObject, listOf, platformId, text, threadId } from './inputs.ts';

const FILTERED_CHAT_TYPES = ['private', 'group', 'supergroup', 'channel'] as const;

export const FILTER_NOTE = `Which updates of its kinds the program gets. All conditions that are given must hold; of a list, one entry is enough. \`{}\`: every update.
A condition that cannot be judged for an update does not hold:

- A message of any kind, edited or not, has a chat, a topic (or none), an author (the chat in whose name it is written, otherwise the user) and a text or caption.
- \`callback_query\`: the user, the chat and the topic of the message (none for an inline message, and no topic for one that is too old), and \`data\` as its text. No command.
- \`inline_query\`, \`chosen_inline_result\`: the user, and \`query\` as the text. No chat.
- \`my_chat_member\`, \`chat_member\`, \`chat_join_request\`, \`message_reaction\`, \`chat_boost\`, \`removed_chat_boost\`: the chat, and the user who did it. No text.
- \`message_reaction_count\`, \`deleted_business_messages\`: the chat alone.
- \`shipping_query\`, \`pre_checkout_query\`, \`purchased_paid_media\`, \`poll_answer\`, \`business_connection\`, \`managed_bot\`: the user (or the chat that voted) alone.
- \`stopped_message_generation\`: the chat and the topic.
- \`widget_query\`: the user, the chat (none for an inline message), and \`data\` as the text. \`shared_widget_query\`: the same without a chat.
- \`poll\` and kinds that are not listed: what they name as \`chat\`, \`from\` or \`user\`; a poll has none of them.

What names no topic, as a reaction or the answer of a poll, matches no condition about topics, also not 0.

An update is judged once, when it is accepted, by itself. An album goes where its first message goes.`;

const CHATS_NOTE = 'The update is in one of these chats, by id, or in a chat that is bound to the program by a link.';
const BOUND_NOTE =
  'True: without `chat_ids`, only chats that are bound to the program by a link (`POST /api/programs/bind-link`). With `chat_ids`, these are among its chats in any case. Without both, bound chats are as any others.';
const THREADS_NOTE =
  'The update is in one of these topics of a forum or of a private chat, by id. 0: outside every topic, and General; 1: General. Topics of different chats can have the same id: name the chat, too.';
const CHAT_TYPES_NOTE = 'The chat is of one of these types.';
const USERS_NOTE =
  'One of these wrote or did it, by id: a user, or the chat in whose name it was done. `GroupAnonymousBot`, `Channel_Bot` and the like, which the platform names beside such a chat, do not count.';
const KEYWORD_NOTE = 'The text has this word or phrase; case does not matter.';
const COMMANDS_NOTE =
  'The text begins with one of these commands; a slash in front of a name is dropped. `/start@the_bot` and arguments are allowed, other bots’ names are not; case does not matter.';
const TEXT_NOTE = 'A regular expression (RE2 syntax) that matches anywhere in the text.';

/** Absent conditions are left out. */
export const programFilter = z
  .strictObject({
    chat_ids: z.array(z.int()).optional().describe(CHATS_NOTE),
    bound_only: z.boolean().optional().describe(BOUND_NOTE),
    thread_ids: z.array(z.int()).optional().describe(THREADS_NOTE),
    chat_types: z.array(z.enum(FILTERED_CHAT_TYPES)).optional().describe(CHAT_TYPES_NOTE),
    user_ids: z.array(z.int()).optional().describe(USERS_NOTE),
    keyword: z.string().optional().describe(KEYWORD_NOTE),
    commands: z.array(z.string()).optional().describe(COMMANDS_NOTE),
    text: z.string().optional().describe(TEXT_NOTE),
  })
  .meta({ id: 'ProgramFilter' });

export type ProgramFilter = z.infer<typeof programFilter>;

const COMMAND = /^\/?[A-Za-z0-9_]{1,32}$/;
const withoutSlash = (command: string): string => command.replace(/^\//, '');
const some = (names: unknown[]): boolean => names.length > 0;
const EMPTY = 'must not be empty; leave it out to set no such condition';
/** A word, a phrase or an expression, as routing rules take it. */
export const conditionText = () => text({ max: 500 });
const required = () => conditionText().regex(/\S/, 'must not be blank');

export const filterInput = () =>
  jsonObject({
    chat_ids: listOf(platformId(), 100).refine(some, EMPTY).optional().describe(CHATS_NOTE),
    bound_only: flag().optional().describe(BOUND_NOTE),
    thread_ids: listOf(threadId(), 100).refine(some, EMPTY).optional().describe(THREADS_NOTE),
    chat_types: listOf(z.enum(FILTERED_CHAT_TYPES), 4).refine(some, EMPTY).optional().describe(CHAT_TYPES_NOTE),
    user_ids: listOf(platformId(), 100).refine(some, EMPTY).optional().describe(USERS_NOTE),
    keyword: required().optional().describe(KEYWORD_NOTE),
    commands: listOf(z.string().regex(COMMAND, 'must be a command such as start').overwrite(withoutSlash), 50)
      .refine(some, EMPTY)
      .optional()
      .describe(COMMANDS_NOTE),
    text: required().optional().describe(TEXT_NOTE),
  }).describe(FILTER_NOTE);

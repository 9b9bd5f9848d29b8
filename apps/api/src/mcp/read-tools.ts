import type { ChatOfBot } from '@flotilla/contract/chats.ts';
import { type LetterOfChat, lettersOfChats } from '@flotilla/domain/delivery/deliveries/letters-of-chats.ts';
import { presentReader } from '@flotilla/domain/delivery/deliveries/reader-name.ts';
import { questionStore } from '@flotilla/domain/delivery/questions/question-store.ts';
import { chatStore } from '@flotilla/domain/records/chats/chat-store.ts';
import { type Conversation, connectionParam, findConversation } from '@flotilla/domain/records/chats/conversation.ts';
import { refusedInput } from '@flotilla/runtime/flotilla-error.ts';
import { z } from 'zod';
import { requireSeenBot } from '../operations/authorize.ts';
import { FOREIGN_NOTE, shownMessage, shownQuestion } from './foreign-text.ts';
import { newerMessages, olderMessages, waitForMessages } from './message-pages.ts';
import { listRows, runOperation } from './run-operation.ts';
import { botsOf, chatInput, conversationInput, defineTool, requireChat, type Tool, type ToolCall } from './tool.ts';

const limit = z.int().min(1).max(100).default(30).describe('How many at most.');
const LONGEST_WAIT_S = 50;
export const waitInput = z
  .int()
  .min(0)
  .max(LONGEST_WAIT_S)
  .default(LONGEST_WAIT_S)
  .describe('How long to wait, in seconds. If nothing came, use the tool again.');

export const readTools: Tool[] = [
  defineTool({
    name: 'list_bots',
    description: 'Lists the bots of which you may see chats.',
    right: 'read',
    input: z.object({}),
    run: async ({ context, mcp }) => {
      const bots = botsOf(mcp).flatMap((id) => context.directory.byId(id) ?? []);
      return {
        bots: bots.map(({ id, name, username, description, disabled }) => ({
          bot_id: id,
          ...{ name, username, description, disabled },
        })),
      };
    },
  }),
  defineTool({
    name: 'list_chats',
    description:
      'Lists the chats that you may see. A person who writes through business connections has a conversation for each.',
    right: 'read',
    input: z.object({}),
    run: async ({ context, mcp }) => {
      const known = await Promise.all(
        mcp.chats.map(({ bot_id, chat_id }) => chatStore(context.db).allOf(bot_id, chat_id)),
      );
      const chats = mcp.chats.flatMap((chat, at) => {
        const [first, ...others] = known[at] ?? [];
        return [first, ...others].map((conversation) => ({
          ...{ ...chat, ...connectionParam(conversation?.business_connection_id ?? '') },
          type: conversation?.type,
          foreign: { title: conversation?.title, username: conversation?.username },
        }));
      });
      return { note: FOREIGN_NOTE, chats };
    },
  }),
  defineTool({
    name: 'get_history',
    description:
      'Reads messages of a chat: the newest, newest first. With before_message_id: those before that message, newest first. With after_message_id: those after it, oldest first. While has_more is true, go on with the last message_id of the answer.',
    right: 'read',
    input: z.object({
      ...conversationInput,
      limit,
      before_message_id: z.int().optional().describe('Only messages older than this one.'),
      after_message_id: z.int().optional().describe('Only messages newer than this one.'),
    }),
    run: async (call, { before_message_id: beforeId, after_message_id: afterId, limit, ...chat }) => {
      const named = await requireConversation(call, chat);
      if (afterId === undefined) return olderMessages(call, named, { beforeId, limit });
      if (beforeId !== undefined) throw refusedInput('after_message_id', 'cannot be used with before_message_id');
      return newerMessages(call, named, { afterId, limit });
    },
  }),
  defineTool({
    name: 'search_messages',
    description: 'Finds messages of a chat that have all these words, newest first.',
    right: 'read',
    input: z.object({ ...conversationInput, q: z.string().min(1).max(256).describe('Words, in any language.'), limit }),
    run: async (call, input) => {
      requireChat(call, input);
      const rows = await listRows(call.context, call, 'searchMessages', input);
      return { note: FOREIGN_NOTE, messages: rows.map(shownMessage) };
    },
  }),
  defineTool({
    name: 'find_people',
    description: 'Finds people who wrote in a chat, by a part of their name or username.',
    right: 'read',
    input: z.object({ ...chatInput, q: z.string().min(1).max(256).describe('A part of a name.'), limit }),
    run: async (call, input) => {
      requireChat(call, input);
      const rows = await listRows(call.context, call, 'listChatUsers', input);
      const people = rows.map(({ id: user_id, first_name, last_name, username }) => ({
        user_id,
        foreign: { first_name, last_name, username },
      }));
      return { note: FOREIGN_NOTE, people };
    },
  }),
  defineTool({
    name: 'fleet_status',
    description: 'Says what is wrong with your bots at this moment.',
    right: 'read',
    input: z.object({}),
    run: async (call) => {
      const found = await Promise.all(
        botsOf(call.mcp).map((bot_id) => listRows(call.context, call, 'listAttention', { bot_id, limit: 50 })),
      );
      return { attention: found.flat().map(({ bot_id, kind, since, waiting }) => ({ bot_id, kind, since, waiting })) };
    },
  }),
  defineTool({
    name: 'list_dead_letters',
    description:
      'Lists updates of your chats that failed, because a backend, program or chat did not take them, newest first. While has_more is true, go on with the last id of the answer as before_id.',
    right: 'read',
    input: z.object({
      bot_id: chatInput.bot_id,
      limit,
      before_id: z.int().min(1).optional().describe('Only those that failed before this one.'),
    }),
    run: async (call, { bot_id, limit, before_id: before = null }) => {
      const letters = await lettersOfKey(call, bot_id, { limit: limit + 1, before });
      return { dead_letters: letters.slice(0, limit).map(shownLetter), has_more: letters.length > limit };
    },
  }),
  defineTool({
    name: 'get_answer',
    description: 'Waits for the answer to a question that `ask` has asked.',
    right: 'read',
    input: z.object({ question_id: z.int().min(1), timeout_s: waitInput }),
    run: async (call, { question_id: id, timeout_s: timeout }) => {
      const asked = await questionStore(call.context.db).find(id);
      // One in another chat looks like one that there is not.
      requireChat(call, { bot_id: asked?.bot_id ?? 0, chat_id: asked?.chat_id ?? 0 });
      return shownQuestion(await runOperation(call.context, call, 'waitForQuestion', { id, timeout }));
    },
  }),
  defineTool({
    name: 'wait_for_message',
    description:
      'Waits for messages of people in a chat that are newer than a message, oldest first. While has_more is true, more are there already. The programs of the bot get them as well.',
    right: 'read',
    input: z.object({
      ...conversationInput,
      after_message_id: z
        .int()
        .describe('The last message_id of the answer before; 0 to begin with the newest messages that are there.'),
      limit,
      timeout_s: waitInput,
    }),
    run: async (call, { after_message_id: afterId, limit, timeout_s, ...chat }) =>
      waitForMessages(call, await requireConversation(call, chat), { afterId, limit, timeout_s }),
  }),
];

/** Failed deliveries of chats that the key may see. */
export async function lettersOfKey(
  { context, caller, mcp }: ToolCall,
  botId: number,
  { ids, ...page }: { limit: number; before: number | null; ids?: number[] },
): Promise<LetterOfChat[]> {
  requireSeenBot(context, caller, botId);
  const chatIds = mcp.chats.filter((chat) => chat.bot_id === botId).map(({ chat_id }) => chat_id);
  if (chatIds.length === 0) return [];
  return lettersOfChats(context, caller.scope, { botId, chatIds, ...(ids && { ids }) }, page);
}

function shownLetter({ id, bot_id, chat_id, update_id, reader, reason_code, created_at }: LetterOfChat) {
  const { program_id, reader: kind } = presentReader(reader);
  return { id, bot_id, chat_id, update_id, reader: kind, program_id, reason_code, dead_at: created_at.toISOString() };
}

/**
 * The conversation of a tool: ids of messages count up in each by itself, so one is read alone. Throws as requireChat and
 * findConversation do, or if the account lost the bot.
 */
async function requireConversation(
  call: ToolCall,
  chat: ChatOfBot & { business_connection_id?: string | undefined },
): Promise<Conversation> {
  requireChat(call, chat);
  requireSeenBot(call.context, call.caller, chat.bot_id);
  const ofBot = { bot_id: chat.bot_id, chat_id: chat.chat_id };
  return {
    ...ofBot,
    business_connection_id: await findConversation(call.context.db, ofBot, chat.business_connection_id),
  };
}

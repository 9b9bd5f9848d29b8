import { setTimeout as delay } from 'node:timers/promises';
import { questionStore } from '@flotilla/domain/delivery/questions/question-store.ts';
import { chatStore } from '@flotilla/domain/records/chats/chat-store.ts';
import { chatIdOfUpdate } from '@flotilla/telegram/chat-id.ts';
import type { Fields } from '@flotilla/telegram/platform-fields.ts';
import { readUpdateFacts } from '@flotilla/telegram/update-facts.ts';
import { z } from 'zod';
import { FOREIGN_NOTE, shownMessage, shownQuestion } from './foreign-text.ts';
import { listRows, runOperation } from './run-operation.ts';
import { botsOf, chatInput, defineTool, maySee, requireChat, type Tool, type ToolCall } from './tool.ts';

const limit = z.int().min(1).max(100).default(30).describe('How many at most.');
const LOOK_EVERY_MS = 1_000;
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
    description: 'Lists the chats that you may see.',
    right: 'read',
    input: z.object({}),
    run: async ({ context, mcp }) => {
      const known = await Promise.all(mcp.chats.map(({ botId, chatId }) => chatStore(context.db).find(botId, chatId)));
      const chats = mcp.chats.map(({ botId, chatId }, at) => {
        const { type, title, username } = known[at] ?? {};
        return { bot_id: botId, chat_id: chatId, type, foreign: { title, username } };
      });
      return { note: FOREIGN_NOTE, chats };
    },
  }),
  defineTool({
    name: 'get_history',
    description: 'Reads messages of a chat, newest first. With before_message_id: those before that message.',
    right: 'read',
    input: z.object({
      ...chatInput,
      limit,
      before_message_id: z.int().optional().describe('Only messages older than this one.'),
    }),
    run: async (call, { before_message_id: before, limit, ...chat }) => {
      requireChat(call, chat);
      const rows = await listRows(call.context, call, 'listMessages', {
        ...chat,
        // The message that is named and the newer ones are in that page, too.
        ...(before === undefined ? { limit } : { around: before, limit: Math.min(200, 2 * limit) }),
      });
      const older = before === undefined ? rows : rows.slice(rows.findIndex(({ id }) => id === before) + 1);
      return { note: FOREIGN_NOTE, messages: older.slice(0, limit).map(shownMessage) };
    },
  }),
  defineTool({
    name: 'search_messages',
    description: 'Finds messages of a chat that have all these words, newest first.',
    right: 'read',
    input: z.object({ ...chatInput, q: z.string().min(1).max(256).describe('Words, in any language.'), limit }),
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
        botsOf(call.mcp).map((botId) => listRows(call.context, call, 'listAttention', { bot_id: botId, limit: 50 })),
      );
      return { attention: found.flat().map(({ bot_id, kind, since, waiting }) => ({ bot_id, kind, since, waiting })) };
    },
  }),
  defineTool({
    name: 'list_dead_letters',
    description:
      'Lists updates of your chats that were given up, because a backend, program or chat did not take them.',
    right: 'read',
    input: z.object({ bot_id: chatInput.bot_id, limit }),
    run: async (call, { bot_id, limit }) => {
      const letters = await deadLetters(call, bot_id);
      return { dead_letters: letters.slice(0, limit) };
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
      requireChat(call, { bot_id: asked?.botId ?? 0, chat_id: asked?.chatId ?? 0 });
      return shownQuestion(await runOperation(call.context, call, 'waitForQuestion', { id, timeout }));
    },
  }),
  defineTool({
    name: 'wait_for_message',
    description:
      'Waits for messages in a chat that are newer than a message. The programs of the bot get them as well.',
    right: 'read',
    input: z.object({
      ...chatInput,
      after_message_id: z.int().min(0).describe('The newest message that you know; 0 if you know none.'),
      timeout_s: waitInput,
    }),
    run: waitForMessage,
  }),
];

/** Dead letters of chats that the key may see. Others are left out, also from the count. */
export async function deadLetters(call: ToolCall, botId: number) {
  const rows = await listRows(call.context, call, 'listDeliveries', { bot_id: botId, state: 'dead', limit: 200 });
  return rows.flatMap(({ id, update_id, reader, reason_code, dead_at, payload }) => {
    const chatId = payload === undefined ? null : chatOf(payload);
    if (id === undefined || chatId === null || !maySee(call.mcp, { bot_id: botId, chat_id: chatId })) return [];
    return [{ id, bot_id: botId, chat_id: chatId, update_id, reader, reason_code, dead_at }];
  });
}

function chatOf(payload: string): number | null {
  try {
    const update = JSON.parse(payload) as Fields;
    return chatIdOfUpdate(update, readUpdateFacts(update).kind);
  } catch {
    return null;
  }
}

type WaitInput = { bot_id: number; chat_id: number; after_message_id: number; timeout_s: number };

/** Reads the history until there is something newer, so that it keeps nothing for a client that does not come back. */
async function waitForMessage(call: ToolCall, { after_message_id: after, timeout_s, ...chat }: WaitInput) {
  requireChat(call, chat);
  const untilMs = performance.now() + timeout_s * 1000;
  while (true) {
    const rows = await listRows(call.context, call, 'listMessages', { ...chat, limit: 30 });
    const newer = rows.filter(({ id, outgoing }) => id > after && !outgoing);
    const leftMs = untilMs - performance.now();
    if (newer.length > 0 || leftMs <= 0 || call.ended.aborted) {
      return { note: FOREIGN_NOTE, messages: newer.map(shownMessage) };
    }
    await delay(Math.min(LOOK_EVERY_MS, leftMs), undefined, { signal: call.ended }).catch(() => undefined);
  }
}

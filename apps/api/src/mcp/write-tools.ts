import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import { z } from 'zod';
import { shownQuestion } from './foreign-text.ts';
import { lettersOfKey, waitInput } from './read-tools.ts';
import { runOperation } from './run-operation.ts';
import { chatInput, conversationInput, defineTool, requireChat, type Tool } from './tool.ts';

export const writeTools: Tool[] = [
  defineTool({
    name: 'send_message',
    description: 'Sends a text to a chat as the bot.',
    right: 'write',
    input: z.object({
      ...conversationInput,
      text: z.string().min(1).max(4096),
      reply_to_message_id: z.int().min(1).optional().describe('The message to reply to.'),
      thread_id: z.int().min(1).optional().describe('The topic of a forum.'),
      direct_messages_topic_id: z.int().min(1).optional().describe("The topic of a channel's direct messages."),
    }),
    run: async (call, input) => {
      requireChat(call, input);
      const { id } = await runOperation(call.context, call, 'sendMessage', input);
      return { message_id: id };
    },
  }),
  defineTool({
    name: 'edit_message',
    description: 'Replaces the text of a message that the bot has sent.',
    right: 'write',
    input: z.object({ ...conversationInput, message_id: z.int().min(1), text: z.string().min(1).max(4096) }),
    run: async (call, input) => {
      requireChat(call, input);
      const { id } = await runOperation(call.context, call, 'editMessage', input);
      return { message_id: id };
    },
  }),
  defineTool({
    name: 'ask',
    description:
      'Asks people in a chat with buttons, and waits for the answer. If it is still open afterwards, use get_answer.',
    right: 'write',
    input: z.object({
      ...conversationInput,
      text: z.string().min(1).max(3500).describe('The question.'),
      options: z.array(z.string().min(1).max(64)).min(1).max(10).describe('The answers to choose from.'),
      allowed_user_ids: z
        .array(z.int())
        .min(1)
        .max(100)
        .optional()
        .describe('Who may answer. Without it: everybody there.'),
      thread_id: z.int().min(1).optional().describe('The topic of a forum.'),
      expires_in_s: z.int().min(5).max(86_400).default(600),
      timeout_s: waitInput,
    }),
    run: async (call, { timeout_s: timeout, ...input }) => {
      requireChat(call, input);
      const { id } = await runOperation(call.context, call, 'addQuestion', input);
      return shownQuestion(await runOperation(call.context, call, 'waitForQuestion', { id, timeout }));
    },
  }),
  defineTool({
    name: 'takeover',
    description:
      'Takes a chat over from its bot, so that the bot does not answer there. Again, the time begins anew. Then use send_message and wait_for_message.',
    right: 'write',
    input: z.object({ ...conversationInput, minutes: z.int().min(1).max(1440).default(60).describe('For how long.') }),
    run: async (call, input) => {
      requireChat(call, input);
      const { held_until } = await runOperation(call.context, call, 'takeOverChat', input);
      return { held_until };
    },
  }),
  defineTool({
    name: 'release',
    description: 'Gives a chat that was taken over back to its bot.',
    right: 'write',
    input: z.object({
      ...conversationInput,
      deliver_missed: z.boolean().default(false).describe('True: the bot gets the updates that it missed, in order.'),
    }),
    run: async (call, input) => {
      requireChat(call, input);
      const { delivered } = await runOperation(call.context, call, 'releaseChat', input);
      return { delivered };
    },
  }),
  defineTool({
    name: 'redrive',
    description: 'Redelivers failed deliveries of your chats, by the ids that list_dead_letters names.',
    right: 'write',
    input: z.object({ bot_id: chatInput.bot_id, ids: z.array(z.int().min(1)).min(1).max(100) }),
    run: async (call, { bot_id, ids }) => {
      const wanted = [...new Set(ids)];
      const found = await lettersOfKey(call, bot_id, { ids: wanted, limit: wanted.length, before: null });
      if (found.length < wanted.length) {
        throw new FlotillaError('forbidden', 'A failed delivery is not among those of your chats');
      }
      return runOperation(call.context, call, 'redriveDeliveries', { ids });
    },
  }),
];

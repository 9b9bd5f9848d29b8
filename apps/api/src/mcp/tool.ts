import type { McpRight } from '@flotilla/contract/api-keys.ts';
import type { ChatOfBot } from '@flotilla/contract/chats.ts';
import { isAmong } from '@flotilla/domain/people/accounts/caller.ts';
import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import { z } from 'zod';
import type { Context } from '../context.ts';
import type { ToolRequest } from './run-operation.ts';

/** The rights of a key over MCP. Without chats it may do nothing in any. */
export type McpReach = { right: McpRight; chats: readonly ChatOfBot[] };

/** The context of a tool. */
export type ToolCall = ToolRequest & { context: Context; mcp: McpReach };

export type Tool<Input extends z.ZodObject = z.ZodObject> = {
  name: string;
  description: string;
  /** The right that a key needs to see and use it. */
  right: McpRight;
  input: Input;
  /** The result for the model, as JSON. Throws FlotillaError, whose message it is shown. */
  run(call: ToolCall, input: z.output<Input>): Promise<object>;
};

/** Keeps the types of a tool's input within it. */
export function defineTool<Input extends z.ZodObject>(tool: Tool<Input>): Tool {
  return tool as unknown as Tool;
}

/** The chat that a tool is about. */
export const chatInput = {
  bot_id: z.int().min(1).describe('The bot, as list_bots names it.'),
  chat_id: z.int().describe('The chat, as list_chats names it.'),
};

/** The conversation in the chat that a tool is about. */
export const conversationInput = {
  ...chatInput,
  business_connection_id: z
    .string()
    .max(256)
    .optional()
    .describe('The conversation, if list_chats names several of the chat; "" is that of the bot itself.'),
};

/** Throws 'forbidden' unless the key may see the chat; the same whether there is such a chat or not. */
export function requireChat({ mcp }: Pick<ToolCall, 'mcp'>, chat: ChatOfBot): void {
  if (!isAmong(chat, mcp.chats)) throw new FlotillaError('forbidden', 'This chat is not among those of this key');
}

/** The bots of which the key may see a chat. */
export function botsOf({ chats }: McpReach): number[] {
  return [...new Set(chats.map(({ bot_id }) => bot_id))];
}

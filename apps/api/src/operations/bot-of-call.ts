import type { Operation } from '@flotilla/contract/operation.ts';
import type { Bot } from '@flotilla/domain/fleet/bots/bot.ts';
import { requireManaged } from '@flotilla/domain/fleet/bots/require-managed.ts';
import type { Caller } from '@flotilla/domain/people/accounts/caller.ts';
import { type Scope, within } from '@flotilla/domain/people/accounts/scope.ts';
import { chatStore } from '@flotilla/domain/records/chats/chat-store.ts';
import { findChatId } from '@flotilla/domain/records/chats/find-chat-id.ts';
import { FlotillaError, refusedInput } from '@flotilla/runtime/flotilla-error.ts';
import type { Context } from '../context.ts';

/** The bot of an id; throws 'not_found'. */
export function requireBot({ directory }: Context, id: number): Bot {
  const bot = directory.byId(id);
  if (bot === undefined) throw new FlotillaError('not_found', 'Bot not found');
  return bot;
}

/** The scope of a list: the bot that it names, or all of the caller. Throws 'not_found'. */
export function scopeIn(context: Context, { scope }: Caller, botId: number | undefined): Scope {
  return botId === undefined ? scope : within(scope, [requireBot(context, botId).id]);
}

/** The same for calls that manage chats; throws 'bad_request' if that is off for the bot. */
export function requireManagedBot(context: Context, id: number): Bot {
  const bot = requireBot(context, id);
  requireManaged(bot);
  return bot;
}

/**
 * The bot of a call. Without `bot_id` it is the one bot of the caller that tracks the chat.
 * Throws 'not_found' for a bot that does not exist, 'bad_request' if no bot or several track the chat.
 */
export async function requireBotOfChat(
  context: Context,
  caller: Caller,
  input: { bot_id?: number | undefined; chat_id: number },
): Promise<Bot> {
  if (input.bot_id !== undefined) return requireBot(context, input.bot_id);
  const ids = await chatStore(context.db).botsOf(caller.scope, input.chat_id);
  const bots = ids.map((id) => context.directory.byId(id));
  const [bot, another] = bots.filter((found) => found !== undefined);
  if (bot === undefined) throw untrackedChat();
  if (another !== undefined) throw refusedInput('bot_id', 'is required: several of your bots track this chat');
  return bot;
}

/** For a call that names no bot although its chat does not identify one. */
function untrackedChat(): FlotillaError {
  return refusedInput('bot_id', 'is required: none of your bots tracks this chat');
}

/** The inputs of a call, with the id of the chat in place of its @name. */
export type WithChatId<Input> = Input extends { chat_id: number | string }
  ? Omit<Input, 'chat_id'> & { chat_id: number }
  : 'chat_id' extends keyof Input
    ? Omit<Input, 'chat_id'> & { chat_id?: number | undefined }
    : Input;

/** Turns a chat's public name into its id, by the bot of the call. Throws 'not_found' (the bot) or 'bad_request'. */
export async function resolveChat<Input extends object>(
  context: Context,
  operation: Pick<Operation, 'method'>,
  caller: Caller,
  input: Input,
): Promise<WithChatId<Input>> {
  const { chat_id: chat, bot_id } = input as { chat_id?: unknown; bot_id?: unknown };
  if (typeof chat !== 'string') return input as WithChatId<Input>;
  const id = await chatIdOf(context, operation, caller, chat.slice(1), bot_id);
  return { ...input, chat_id: id } as WithChatId<Input>;
}

async function chatIdOf(
  context: Context,
  { method }: Pick<Operation, 'method'>,
  caller: Caller,
  name: string,
  botId: unknown,
): Promise<number> {
  if (typeof botId !== 'number') return chatOfAnyBot(context, caller, name);
  return findChatId(context, requireBot(context, botId), name, method === 'GET' ? 'read' : 'act');
}

async function chatOfAnyBot({ db }: Context, caller: Caller, name: string): Promise<number> {
  const found = await chatStore(db).findByName(caller.scope, name);
  if (found === null) throw untrackedChat();
  return found.id;
}

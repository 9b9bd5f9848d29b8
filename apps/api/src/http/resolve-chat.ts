import type { Operation } from '@flotilla/contract/operation.ts';
import { type Caller, seesBot } from '@flotilla/domain/accounts/caller.ts';
import { chatStore } from '@flotilla/domain/chats/chat-store.ts';
import { findChatId } from '@flotilla/domain/chats/find-chat-id.ts';
import type { Context } from '../context.ts';
import { requireBot } from '../endpoints/bots/require-bot.ts';
import { untrackedChat } from '../endpoints/chats/require-bot-of-chat.ts';

/** Inputs in which a chat that was named `@name` is its id. */
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
  const { chat_id: chat, bot_id: botId } = input as { chat_id?: unknown; bot_id?: unknown };
  if (typeof chat !== 'string') return input as WithChatId<Input>;
  const id = await chatIdOf(context, operation, caller, chat.slice(1), botId);
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

async function chatOfAnyBot({ db, directory }: Context, caller: Caller, name: string): Promise<number> {
  const bots = directory.all().filter(({ id }) => seesBot(caller, id));
  const found = await chatStore(db).findByName(
    bots.map(({ id }) => id),
    name,
  );
  if (found === null) throw untrackedChat();
  return found.id;
}

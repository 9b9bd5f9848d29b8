import type { ChatOfBot } from '@flotilla/contract/chats.ts';
import type { FoundMessageResource, messageOperations } from '@flotilla/contract/message-operations.ts';
import type { MessageResource } from '@flotilla/contract/messages.ts';
import type { Bot } from '@flotilla/domain/fleet/bots/bot.ts';
import { type Caller, seesChat } from '@flotilla/domain/people/accounts/caller.ts';
import { describeNew } from '@flotilla/domain/people/audit/describe-changes.ts';
import { recordAction } from '@flotilla/domain/people/audit/record-action.ts';
import { chatStore } from '@flotilla/domain/records/chats/chat-store.ts';
import { findMessagePosition, positionOf } from '@flotilla/domain/records/history/find-message-position.ts';
import { exportChat } from '@flotilla/domain/records/messages/export-chat.ts';
import {
  listMessagesAfter,
  listMessagesAround,
  type MessageWindow,
} from '@flotilla/domain/records/messages/list-messages-around.ts';
import {
  type Message,
  type MessageCursor,
  type MessageFilter,
  messageStore,
} from '@flotilla/domain/records/messages/message-store.ts';
import { type SearchScope, searchedIn } from '@flotilla/domain/records/messages/search-scope.ts';
import { FlotillaError, refusedInput } from '@flotilla/runtime/flotilla-error.ts';
import type { Context } from '../context.ts';
import { cutPage, decodeCursor, type Page } from '../http/page.ts';
import { streamText } from '../http/send-answer.ts';
import { requireBot, requireBotOfChat, scopeIn } from '../operations/bot-of-call.ts';
import type { Call, Handlers } from '../operations/handler.ts';
import { whileWanted } from '../operations/search-limit.ts';
import { type ExportFormat, exportFormats } from './export-format.ts';
import { findMessages, positionOfFound } from './find-messages.ts';
import { presentFound } from './present-found.ts';
import { presentMessage } from './present-message.ts';
import { routedOf } from './routed-of.ts';
import { sendersOf } from './senders-of.ts';

export const messageHandlers: Handlers<typeof messageOperations> = {
  async listMessages(context, { input, caller }) {
    const { limit, offset } = input;
    const bot = requireBot(context, input.bot_id);
    const chat = { bot_id: bot.id, chat_id: input.chat_id };
    const shown = { include_deleted: input.include_deleted, filter: filterOf(input) };
    const messages = messageStore(context.db);
    const start = await startOf(context, chat, input);
    if (start !== null) {
      const [window, total] = await Promise.all([
        start.list(context.db, chat, start.position, { limit, ...shown }),
        messages.count(chat, shown),
      ]);
      return pageOfWindow(window, total, await presenterOf(context, caller, bot, chat, window.messages));
    }
    const before = decodeCursor(input.before, CURSOR);
    const [rows, total] = await Promise.all([
      messages.list(chat, { limit: limit + 1, offset, before, ...shown }),
      messages.count(chat, shown),
    ]);
    return pageOf(rows, limit, total, await presenterOf(context, caller, bot, chat, rows));
  },

  async exportChat(context, { input, by, request, response, whileAllowed }) {
    const { chat_id, format } = input;
    const bot = requireBot(context, input.bot_id);
    const chat = { bot_id: bot.id, chat_id };
    const headers = {
      'Content-Type': `${exportFormats[format].mediaType}; charset=utf-8`,
      'Content-Disposition': `attachment; filename="chat${chat_id}.${format}"`,
    };
    const lines = linesOf(bot, exportFormats[format], exportChat(context.db, chat, filterOf(input)));
    await recordAction(context, by, { action: 'export', ...chat, details: describeNew({ format }) });
    await whileAllowed((ended) => streamText(request, response, headers, lines, ended));
  },

  async searchMessages(context, { input, caller, response }) {
    const { q, limit, offset, notes } = input;
    if (notes && offset > 0) throw refusedInput('offset', 'cannot be used with notes: use before');
    const before = decodeCursor(input.before, SEARCH_CURSOR);
    const search = { q, filter: filterOf(input), limit: limit + 1, offset, before };
    return whileWanted(context, caller, response, NOTHING_FOUND, async (signal) => {
      const scope = await scopeOf(context, caller, input);
      const { found, total, forms } = await findMessages(context, { ...search, scope, signal, withNotes: notes });
      const page = cutPage(found, limit, total, positionOfFound);
      return { ...page, rows: await presentFound(context, page.rows, q, forms) };
    });
  },
};

/** The sort key of messages: date, place in that second, id, business connection. */
const CURSOR = ['seconds', 'platformId', 'platformId', 'text'] as const;

/** The same of several chats: date, id, bot, chat, business connection. */
const SEARCH_CURSOR = ['seconds', 'platformId', 'id', 'platformId', 'text'] as const;
const NOTHING_FOUND: Page<FoundMessageResource> = { rows: [], total: 0, next: null };

type SearchInput = Call<typeof messageOperations.searchMessages.input>['input'];

async function scopeOf(context: Context, caller: Caller, input: SearchInput): Promise<SearchScope> {
  const { bot_id, chat_id } = input;
  if (chat_id !== undefined) {
    const { id } = await requireBotOfChat(context, caller, { bot_id, chat_id });
    const former = await chatStore(context.db).formerOf(id, chat_id);
    return { botId: id, chatIds: [chat_id, ...former.filter((one) => seesChat(caller, { bot_id: id, chat_id: one }))] };
  }
  // It sees some chats of a bot only.
  if (caller.apiKey?.mcp) throw refusedInput('chat_id', 'is required for this key');
  return searchedIn(scopeIn(context, caller, bot_id));
}

type Present = (message: Message) => MessageResource;

/** Shows messages of one chat with who sent them, and where rules sent them. */
async function presenterOf(
  context: Context,
  caller: Caller,
  bot: Bot,
  chat: ChatOfBot,
  messages: readonly Message[],
): Promise<Present> {
  const [senders, routed] = await Promise.all([
    sendersOf(context, messages),
    routedOf(context, caller, chat, messages),
  ]);
  return (message) => ({ ...presentMessage(bot, message, senders(message)), ...routed(message) });
}

function pageOf(messages: Message[], limit: number, total: number, present: Present): Page<MessageResource> {
  const page = cutPage(messages, limit, total, positionOf);
  return { ...page, rows: page.rows.map(present) };
}

function pageOfWindow(
  { messages, hasNewer, hasOlder }: MessageWindow,
  total: number,
  present: Present,
): Page<MessageResource> {
  const [newest, oldest] = [messages.at(0), messages.at(-1)];
  return {
    rows: messages.map(present),
    total,
    prev: hasNewer && newest !== undefined ? positionOf(newest) : null,
    next: hasOlder && oldest !== undefined ? positionOf(oldest) : null,
  };
}

type ListInput = Call<typeof messageOperations.listMessages.input>['input'];

/** The start of a list that can be paged both ways; null to start at the newest message. */
async function startOf(context: Context, chat: ChatOfBot, input: ListInput) {
  const { around, after, before, offset, business_connection_id: of } = input;
  const given = Object.entries({ around, after, before }).filter(([, value]) => value !== undefined);
  if (given.length > 1) throw refusedInput(given[0]?.[0] ?? '', `cannot be used with ${given[1]?.[0]}`);
  if (around === undefined && after === undefined) return null;
  if (offset > 0) throw refusedInput('offset', 'cannot be used with around or after');
  const list = around === undefined ? listMessagesAfter : listMessagesAround;
  const id = around ?? (/^-?\d{1,16}$/.test(after ?? '') ? Number(after) : null);
  const position = id === null ? decodeCursor(after, CURSOR, 'after') : await positionOfId(context, chat, id, of);
  return position === null ? null : { list, position };
}

async function positionOfId(
  { db }: Context,
  chat: ChatOfBot,
  id: number,
  businessConnectionId: string | undefined,
): Promise<MessageCursor> {
  const position = Number.isSafeInteger(id) ? await findMessagePosition(db, chat, id, businessConnectionId) : null;
  if (position === null) throw new FlotillaError('not_found', 'Message not found');
  return position;
}

type FilterInput = Pick<
  Call<typeof messageOperations.listMessages.input>['input'],
  'media_type' | 'user_id' | 'business_connection_id' | 'thread_id' | 'from' | 'to'
>;

function filterOf(input: FilterInput): MessageFilter {
  const { media_type, user_id, business_connection_id, thread_id, from: fromS, to: toS } = input;
  return { media_type, user_id, business_connection_id, thread_id, fromS, toS };
}

async function* linesOf(
  bot: Bot,
  { head, lineOf }: ExportFormat,
  messages: AsyncIterable<Message>,
): AsyncGenerator<string> {
  let before = head;
  for await (const message of messages) {
    yield before + lineOf(presentMessage(bot, message));
    before = '';
  }
  if (before !== '') yield before;
}

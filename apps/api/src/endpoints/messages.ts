import { addAbortSignal } from 'node:stream';
import { OK } from '@flotilla/contract/fields.ts';
import type { MessageResource, messageOperations } from '@flotilla/contract/messages.ts';
import { describeNew } from '@flotilla/domain/audit/describe-changes.ts';
import { recordAction } from '@flotilla/domain/audit/record-action.ts';
import type { Bot } from '@flotilla/domain/bots/bot.ts';
import { deleteMessage } from '@flotilla/domain/chat-actions/delete-message.ts';
import { pinMessage } from '@flotilla/domain/chat-actions/pin-message.ts';
import { unpinMessage } from '@flotilla/domain/chat-actions/unpin-message.ts';
import { findMessagePosition } from '@flotilla/domain/history/find-message-position.ts';
import { editMessage } from '@flotilla/domain/messages/edit-message.ts';
import { exportChat } from '@flotilla/domain/messages/export-chat.ts';
import {
  listMessagesAfter,
  listMessagesAround,
  type MessageWindow,
  positionOf,
} from '@flotilla/domain/messages/list-messages-around.ts';
import {
  type ChatOfBot,
  type Message,
  type MessageCursor,
  type MessageFilter,
  messageStore,
} from '@flotilla/domain/messages/message-store.ts';
import { searchMessages } from '@flotilla/domain/messages/search-messages.ts';
import { sendMessage } from '@flotilla/domain/messages/send-message.ts';
import { FlotillaError, refusedInput } from '@flotilla/runtime/flotilla-error.ts';
import type { Context } from '../context.ts';
import { requireBot, requireBotOfChat } from '../http/bot-of-call.ts';
import type { Call, Handlers } from '../http/handler.ts';
import { cutPage, decodeCursor, type Page } from '../http/page.ts';
import { streamText } from '../http/send-answer.ts';
import { contentOf } from './content-of-call.ts';
import { type ExportFormat, exportFormats } from './export-format.ts';
import { withoutNulls } from './without-nulls.ts';

export const messageHandlers: Handlers<typeof messageOperations> = {
  async listMessages(context, { input }) {
    const { limit, offset } = input;
    const bot = requireBot(context, input.bot_id);
    const chat = { botId: bot.id, chatId: input.chat_id };
    const shown = { includeDeleted: input.include_deleted, filter: filterOf(input) };
    const messages = messageStore(context.db);
    const place = await placeOf(context, chat, input);
    if (place !== null) {
      const [window, total] = await Promise.all([
        place.list(context.db, chat, place.position, { limit, ...shown }),
        messages.count(chat, shown),
      ]);
      return pageOfWindow(bot, window, total);
    }
    const before = decodeCursor(input.before, CURSOR);
    const [rows, total] = await Promise.all([
      messages.list(chat, { limit: limit + 1, offset, before, ...shown }),
      messages.count(chat, shown),
    ]);
    return pageOf(bot, rows, limit, total);
  },

  async exportChat(context, { input, by, request, response, whileAllowed }) {
    const { chat_id: chatId, format } = input;
    const bot = requireBot(context, input.bot_id);
    const chat = { botId: bot.id, chatId };
    const headers = {
      'Content-Type': `${exportFormats[format].mediaType}; charset=utf-8`,
      'Content-Disposition': `attachment; filename="chat${chatId}.${format}"`,
    };
    const lines = linesOf(bot, exportFormats[format], exportChat(context.db, chat, filterOf(input)));
    await recordAction(context, by, { action: 'export', ...chat, details: describeNew({ format }) });
    await whileAllowed((ended) => streamText(request, response, headers, lines, ended));
  },

  async searchMessages(context, { input, caller }) {
    const { q, limit, offset } = input;
    const before = decodeCursor(input.before, CURSOR);
    const bot = await requireBotOfChat(context, caller, input);
    const search = {
      botId: bot.id,
      chatId: input.chat_id,
      q,
      filter: filterOf(input),
      limit: limit + 1,
      offset,
      before,
    };
    const { messages, total } = await searchMessages(context, search);
    return pageOf(bot, messages, limit, total);
  },

  async sendMessage(context, { input, file, by, whileAllowed }) {
    const message = {
      chatId: input.chat_id,
      content: contentOf(input, file),
      parseMode: input.parse_mode,
      replyToMessageId: input.reply_to_message_id,
      threadId: input.message_thread_id,
      silent: input.disable_notification,
      replyMarkup: input.reply_markup,
    };
    const bot = requireBot(context, input.bot_id);
    const send = () => sendMessage(context, bot, by, message);
    if (file === null) return presentMessage(bot, await send());
    const sent = await whileAllowed((ended) => {
      addAbortSignal(ended, file);
      return send();
    });
    return presentMessage(bot, sent);
  },

  async editMessage(context, { input, by }) {
    const bot = requireBot(context, input.bot_id);
    const message = await editMessage(context, bot, by, {
      ...messageOf(input),
      text: input.text,
      parseMode: input.parse_mode,
      replyMarkup: input.reply_markup,
    });
    return presentMessage(bot, message);
  },

  async deleteMessage(context, { input, by }) {
    await deleteMessage(context, requireBot(context, input.bot_id), by, messageOf(input));
    return OK;
  },

  async pinMessage(context, { input, by }) {
    await pinMessage(context, requireBot(context, input.bot_id), by, messageOf(input));
    return OK;
  },

  async unpinMessage(context, { input, by }) {
    await unpinMessage(context, requireBot(context, input.bot_id), by, messageOf(input));
    return OK;
  },
};

/** The sort key of messages: date, id, business connection. */
const CURSOR = ['number', 'number', 'string'] as const;

function pageOf(bot: Bot, messages: Message[], limit: number, total: number): Page<MessageResource> {
  const page = cutPage(messages, limit, total, positionOf);
  return { ...page, rows: page.rows.map((message) => presentMessage(bot, message)) };
}

function pageOfWindow(bot: Bot, { messages, hasNewer, hasOlder }: MessageWindow, total: number): Page<MessageResource> {
  const [newest, oldest] = [messages.at(0), messages.at(-1)];
  return {
    rows: messages.map((message) => presentMessage(bot, message)),
    total,
    prev: hasNewer && newest !== undefined ? positionOf(newest) : null,
    next: hasOlder && oldest !== undefined ? positionOf(oldest) : null,
  };
}

type ListInput = Call<typeof messageOperations.listMessages.input>['input'];

/** Where a list begins that goes both ways; null for one from the newest message on. */
async function placeOf(context: Context, chat: ChatOfBot, { around, after, before, offset }: ListInput) {
  const given = Object.entries({ around, after, before }).filter(([, value]) => value !== undefined);
  if (given.length > 1) throw refusedInput(given[0]?.[0] ?? '', `cannot be used with ${given[1]?.[0]}`);
  if (around === undefined && after === undefined) return null;
  if (offset > 0) throw refusedInput('offset', 'cannot be used with around or after');
  const list = around === undefined ? listMessagesAfter : listMessagesAround;
  const id = around ?? (/^-?\d{1,16}$/.test(after ?? '') ? Number(after) : null);
  const position = id === null ? decodeCursor(after, CURSOR, 'after') : await positionOfId(context, chat, id);
  return position === null ? null : { list, position };
}

async function positionOfId({ db }: Context, chat: ChatOfBot, id: number): Promise<MessageCursor> {
  const position = Number.isSafeInteger(id) ? await findMessagePosition(db, chat, id) : null;
  if (position === null) throw new FlotillaError('not_found', 'Message not found');
  return position;
}

type FilterInput = Pick<
  Call<typeof messageOperations.listMessages.input>['input'],
  'media_type' | 'user_id' | 'from' | 'to'
>;

function filterOf({ media_type: mediaType, user_id: userId, from: fromS, to: toS }: FilterInput): MessageFilter {
  return { mediaType, userId, fromS, toS };
}

function messageOf(input: { chat_id: number; message_id: number }) {
  return { chatId: input.chat_id, messageId: input.message_id };
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

function presentMessage({ programs }: Bot, message: Message): MessageResource {
  const program = programs.find(({ id }) => id === message.program_id);
  return {
    id: message.id,
    chat_id: message.chat_id,
    bot_id: message.bot_id,
    ...withoutNulls({
      user_id: message.user_id,
      username: message.username,
      first_name: message.first_name,
      last_name: message.last_name,
      text: message.text,
    }),
    date: message.date,
    ...withoutNulls({
      media_type: message.media_type as MessageResource['media_type'] | null,
      file_id: message.file_id,
      reply_to_message_id: message.reply_to_message_id,
      edited_at: message.edit_date === null ? null : new Date(message.edit_date * 1000).toISOString(),
      deleted_at: message.deleted_at?.toISOString() ?? null,
    }),
    outgoing: message.outgoing,
    ...withoutNulls({ program_id: message.program_id, program: program?.name ?? null, service: message.service }),
    ...message.details,
  };
}

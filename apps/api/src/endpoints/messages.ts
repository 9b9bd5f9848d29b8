import { OK } from '@flotilla/contract/fields.ts';
import type { MessageResource, messageOperations } from '@flotilla/contract/messages.ts';
import { describeNew } from '@flotilla/domain/audit/describe-changes.ts';
import { recordAction } from '@flotilla/domain/audit/record-action.ts';
import { deleteMessage } from '@flotilla/domain/chat-actions/delete-message.ts';
import { pinMessage } from '@flotilla/domain/chat-actions/pin-message.ts';
import { unpinMessage } from '@flotilla/domain/chat-actions/unpin-message.ts';
import { exportChat } from '@flotilla/domain/messages/export-chat.ts';
import { type Message, type MessageFilter, messageStore } from '@flotilla/domain/messages/message-store.ts';
import { searchMessages } from '@flotilla/domain/messages/search-messages.ts';
import { sendMessage } from '@flotilla/domain/messages/send-message.ts';
import { requireBot, requireBotOfChat } from '../http/bot-of-call.ts';
import type { Call, Handlers } from '../http/handler.ts';
import { cutPage, decodeCursor, type Page } from '../http/page.ts';
import { streamText } from '../http/send-answer.ts';
import { type ExportFormat, exportFormats } from './export-format.ts';
import { withoutNulls } from './without-nulls.ts';

export const messageHandlers: Handlers<typeof messageOperations> = {
  async listMessages(context, { input }) {
    const { limit, offset } = input;
    const before = decodeCursor(input.before, CURSOR);
    const chat = { botId: requireBot(context, input.bot_id).id, chatId: input.chat_id };
    const shown = { includeDeleted: input.include_deleted, filter: filterOf(input) };
    const messages = messageStore(context.db);
    const [rows, total] = await Promise.all([
      messages.list(chat, { limit: limit + 1, offset, before, ...shown }),
      messages.count(chat, shown),
    ]);
    return pageOf(rows, limit, total);
  },

  async exportChat(context, { input, by, request, response, whileAllowed }) {
    const { chat_id: chatId, format } = input;
    const chat = { botId: requireBot(context, input.bot_id).id, chatId };
    const headers = {
      'Content-Type': `${exportFormats[format].mediaType}; charset=utf-8`,
      'Content-Disposition': `attachment; filename="chat${chatId}.${format}"`,
    };
    const lines = linesOf(exportFormats[format], exportChat(context.db, chat, filterOf(input)));
    await recordAction(context, by, { action: 'export', ...chat, details: describeNew({ format }) });
    await whileAllowed((ended) => streamText(request, response, headers, lines, ended));
  },

  async searchMessages(context, { input, caller }) {
    const { q, limit, offset } = input;
    const before = decodeCursor(input.before, CURSOR);
    const botId = (await requireBotOfChat(context, caller, input)).id;
    const search = { botId, chatId: input.chat_id, q, filter: filterOf(input), limit: limit + 1, offset, before };
    const { messages, total } = await searchMessages(context, search);
    return pageOf(messages, limit, total);
  },

  async sendMessage(context, { input, by }) {
    const message = await sendMessage(context, requireBot(context, input.bot_id), by, {
      chatId: input.chat_id,
      text: input.text,
      replyToMessageId: input.reply_to_message_id,
      parseMode: input.parse_mode,
    });
    return presentMessage(message);
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

function pageOf(messages: Message[], limit: number, total: number): Page<MessageResource> {
  const page = cutPage(messages, limit, total, (row) => [row.date, row.id, row.business_connection_id]);
  return { ...page, rows: page.rows.map(presentMessage) };
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

async function* linesOf({ head, lineOf }: ExportFormat, messages: AsyncIterable<Message>): AsyncGenerator<string> {
  let before = head;
  for await (const message of messages) {
    yield before + lineOf(presentMessage(message));
    before = '';
  }
  if (before !== '') yield before;
}

function presentMessage(message: Message): MessageResource {
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
    ...withoutNulls({ service: message.service }),
  };
}

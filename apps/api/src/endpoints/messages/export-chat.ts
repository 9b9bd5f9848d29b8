import { exportChat as operation } from '@flotilla/contract/operations/messages.ts';
import { describeNew } from '@flotilla/domain/audit/describe-changes.ts';
import { recordAction } from '@flotilla/domain/audit/record-action.ts';
import { exportChat } from '@flotilla/domain/messages/export-chat.ts';
import type { Message } from '@flotilla/domain/messages/message-store.ts';
import { defineStreamEndpoint } from '../../http/define-endpoint.ts';
import { streamText } from '../../http/stream-text.ts';
import { requireBot } from '../bots/require-bot.ts';
import { type ExportFormat, exportFormats } from './export-format.ts';
import { messageFilter } from './message-filter.ts';
import { presentMessage } from './present-message.ts';

export const exportChatEndpoint = defineStreamEndpoint(operation, async (context, call) => {
  const { input, by, request, response, whileAllowed } = call;
  const { chat_id: chatId, format } = input;
  const chat = { botId: requireBot(context, input.bot_id).id, chatId };
  const headers = {
    'Content-Type': `${exportFormats[format].mediaType}; charset=utf-8`,
    'Content-Disposition': `attachment; filename="chat${chatId}.${format}"`,
  };
  const lines = linesOf(exportFormats[format], exportChat(context.db, chat, messageFilter(input)));
  await recordAction(context, by, { action: 'export', ...chat, details: describeNew({ format }) });
  await whileAllowed((ended) => streamText(request, response, headers, lines, ended));
});

async function* linesOf({ head, lineOf }: ExportFormat, messages: AsyncIterable<Message>): AsyncGenerator<string> {
  let before = head;
  for await (const message of messages) {
    yield before + lineOf(presentMessage(message));
    before = '';
  }
  if (before !== '') yield before;
}

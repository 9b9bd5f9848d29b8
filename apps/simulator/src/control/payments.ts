import { z } from 'zod';
import { askAboutPayment, invoicesOf } from '../messages/begun-payment.ts';
import { ControlError } from './control-error.ts';
import { BOT, CHAT, MESSAGE_ID, PERSON } from './fields.ts';
import { botOf, placeOf } from './lookups.ts';
import { operation } from './operation.ts';

export const payInvoice = operation(
  "A person pays an invoice of a bot's message or link; the bot is asked to ship if it must, then to confirm. Answers the id of the first query",
  {
    input: z.strictObject({
      person: PERSON,
      bot: BOT,
      chat: CHAT.optional().describe('id of the chat with the invoice; the private chat when not given'),
      messageId: MESSAGE_ID.optional().describe('id of the message with the invoice'),
      link: z.string().optional().describe('instead of a message: a link that createInvoiceLink answered'),
    }),
    example: { person: 424_242, bot: 1_000_000_001, messageId: 1 },
  },
  (sim, { person, bot: botId, chat: chatId, messageId, link }): { queryId: string } => {
    const bot = botOf(sim, botId);
    const place = chatId === undefined ? { person, bot: botId } : { person, chat: chatId };
    const { chat } = placeOf(sim, place);
    const invoice = invoicesOf(bot)[link ?? `${chat.id}/${messageId}`];
    if (invoice === undefined) throw new ControlError('there is no such invoice of the bot');
    const kind = invoice.isFlexible ? 'shipping' : 'pre_checkout';
    return { queryId: askAboutPayment(sim, bot, kind, { person, chatKey: chat.key, invoice }) };
  },
);

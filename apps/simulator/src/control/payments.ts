import { z } from 'zod';
import { showChat } from '../chats/chat.ts';
import { openPrivateChat } from '../chats/open-chat.ts';
import { askAboutPayment, invoicesOf } from '../messages/begun-payment.ts';
import { publishUpdate } from '../updates/publish-update.ts';
import { ControlError } from './control-error.ts';
import { BOT, CHAT, MESSAGE_ID, PERSON } from './fields.ts';
import { botOf, personOf, placeOf } from './lookups.ts';
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

export const buyPaidMedia = operation(
  'A person buys the paid media of a bot; the bot learns the payload it gave them',
  {
    input: z.strictObject({ person: PERSON, bot: BOT, payload: z.string().describe('as sendPaidMedia gave it') }),
    example: { person: 424_242, bot: 1_000_000_001, payload: 'album-7' },
  },
  (sim, input): void => {
    const from = personOf(sim, input.person);
    publishUpdate(sim, botOf(sim, input.bot), 'purchased_paid_media', { from, paid_media_payload: input.payload });
  },
);

export const changeSubscription = operation(
  'A person cancels or resumes a subscription to a bot, or its payment fails',
  {
    input: z.strictObject({
      person: PERSON,
      bot: BOT,
      payload: z.string().describe('of the invoice'),
      state: z.enum(['active', 'canceled', 'failed']).describe('what it is from now on'),
    }),
    example: { person: 424_242, bot: 1_000_000_001, payload: 'berth-7', state: 'canceled' },
  },
  (sim, { person, bot, payload, state }): void => {
    const update = { user: personOf(sim, person), invoice_payload: payload, state };
    publishUpdate(sim, botOf(sim, bot), 'subscription', update);
  },
);

export const stopGeneration = operation(
  'A person stops the drafts of an answer that a bot writes',
  {
    input: z.strictObject({ person: PERSON, bot: BOT, draftId: z.int().describe('as the bot named the draft') }),
    example: { person: 424_242, bot: 1_000_000_001, draftId: 1 },
  },
  (sim, input): void => {
    const { chat } = placeOf(sim, { person: input.person, bot: input.bot });
    const draft = chat.drafts[input.draftId] as { message_thread_id?: number } | undefined;
    if (draft === undefined) throw new ControlError(`there is no draft ${input.draftId}`);
    delete chat.drafts[input.draftId];
    sim.storage.saveChat(chat);
    publishUpdate(sim, botOf(sim, input.bot), 'stopped_message_generation', {
      chat: showChat(openPrivateChat(sim, botOf(sim, input.bot), personOf(sim, input.person))),
      ...(draft.message_thread_id !== undefined && { message_thread_id: draft.message_thread_id }),
      draft_id: input.draftId,
    });
  },
);

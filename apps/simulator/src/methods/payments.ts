import { randomBytes } from 'node:crypto';
import { badRequest } from '../bot-api-error.ts';
import { keepSetting } from '../bots/keep-setting.ts';
import type { SimBot } from '../bots/sim-bot.ts';
import { knownUser } from '../chats/chat-admin.ts';
import { openPrivateChat } from '../chats/open-chat.ts';
import { readFileReference } from '../files/read-file.ts';
import { showMedia } from '../files/show-media.ts';
import { boolean, integer, json, type Params, platformId, text } from '../http/params.ts';
import { askAboutPayment, INVOICES, invoicesOf } from '../messages/begun-payment.ts';
import { type MessageFields, postMessage } from '../messages/post-message.ts';
import type { PaidInvoice, Payment } from '../messages/queries-and-polls.ts';
import { readCaption } from '../messages/read-text.ts';
import type { Simulator } from '../simulator.ts';
import { answer } from './answer-query.ts';
import type { Call, Method } from './call.ts';
import { send } from './send.ts';

/** Methods of invoices, payments and Telegram Stars. */
export const PAYMENTS: Record<string, Method> = {
  sendInvoice,
  createInvoiceLink,
  answerShippingQuery,
  answerPreCheckoutQuery,
  refundStarPayment,
  getMyStarBalance,
  getStarTransactions,
  sendPaidMedia,
};

/** A payment in Telegram Stars that the bot got or gave back. */
type StarPayment = { id: string; amount: number; date: number; userId: number; isRefund: boolean; payload: string };

const STARS = 'star payments';

async function sendInvoice(call: Call): Promise<unknown> {
  const paid = readInvoice(call.params);
  const { currency, total_amount } = paid;
  const [title, description, start] = ['title', 'description', 'start_parameter'].map((name) =>
    text(call.params, name),
  );
  const message = await send(call, 'can_send_other_messages', () => ({
    invoice: { title, description, start_parameter: start, currency, total_amount },
  }));
  keepInvoice(call, `${message.chat.id}/${message.message_id}`, paid);
  return message;
}

function createInvoiceLink(call: Call): string {
  const link = `https://t.me/$${randomBytes(12).toString('base64url')}`;
  keepInvoice(call, link, readInvoice(call.params));
  return link;
}

function keepInvoice({ sim, bot }: Call, name: string, invoice: PaidInvoice): void {
  keepSetting(sim, bot, INVOICES, { ...invoicesOf(bot), [name]: invoice });
}

function readInvoice(params: Params): PaidInvoice {
  const prices = json(params, 'prices');
  const amounts = (Array.isArray(prices) ? prices : []).map((price: { amount?: unknown } | null) =>
    Number(price?.amount),
  );
  if (text(params, 'title') === '') throw badRequest('invoice title must be non-empty');
  if (text(params, 'payload') === '') throw badRequest('INVOICE_PAYLOAD_INVALID');
  const currency = text(params, 'currency').toUpperCase();
  if (currency === '') throw badRequest('CURRENCY_INVALID');
  if (amounts.length === 0 || !amounts.every(Number.isSafeInteger)) throw badRequest("can't parse prices JSON object");
  const total_amount = amounts.reduce((sum, amount) => sum + amount, 0);
  return {
    currency,
    total_amount,
    invoice_payload: text(params, 'payload'),
    isFlexible: boolean(params, 'is_flexible'),
  };
}

/** Once the bot ships there, the person confirms the payment. */
function answerShippingQuery(call: Call): true {
  const payment = answered(call, 'shipping', 'shipping_query_id');
  if (payment !== null) askAboutPayment(call.sim, call.bot, 'pre_checkout', payment);
  return true;
}

/** Once the bot agrees, the payment is made. */
function answerPreCheckoutQuery(call: Call): true {
  const payment = answered(call, 'pre_checkout', 'pre_checkout_query_id');
  if (payment === null) return true;
  const { sim, bot } = call;
  const { currency, total_amount, invoice_payload } = payment.invoice;
  const id = `ch_${randomBytes(9).toString('hex')}`;
  if (currency === 'XTR') {
    const date = sim.clock.nowS();
    addStars(sim, bot, {
      id,
      amount: total_amount,
      date,
      userId: payment.person,
      isRefund: false,
      payload: invoice_payload,
    });
  }
  const successful_payment = {
    ...{ currency, total_amount, invoice_payload },
    telegram_payment_charge_id: id,
    provider_payment_charge_id: currency === 'XTR' ? id : `pr_${id}`,
  };
  postMessage(sim, sim.chats.get(payment.chatKey)!, { user: knownUser(sim, payment.person)! }, { successful_payment });
  return true;
}

function answered(call: Call, kind: 'shipping' | 'pre_checkout', field: string): Payment | null {
  answer(call, kind, field);
  const isAgreed = boolean(call.params, 'ok');
  if (!isAgreed && text(call.params, 'error_message') === '') throw badRequest('error message must be non-empty');
  return isAgreed ? call.sim.queries.get(text(call.params, field))!.payment! : null;
}

function refundStarPayment({ sim, bot, params }: Call): true {
  const id = text(params, 'telegram_payment_charge_id');
  const payments = starsOf(bot);
  const paid = payments.find((one) => one.id === id && one.userId === platformId(params, 'user_id'));
  if (paid === undefined) throw badRequest('CHARGE_ID_EMPTY');
  if (payments.some((one) => one.id === id && one.isRefund)) throw badRequest('CHARGE_ALREADY_REFUNDED');
  addStars(sim, bot, { ...paid, amount: -paid.amount, date: sim.clock.nowS(), isRefund: true });
  const refunded_payment = {
    ...{ currency: 'XTR', total_amount: paid.amount, invoice_payload: paid.payload },
    telegram_payment_charge_id: id,
  };
  const person = knownUser(sim, paid.userId)!;
  postMessage(sim, openPrivateChat(sim, bot, person), { user: person }, { refunded_payment });
  return true;
}

function getMyStarBalance({ bot }: Call): { amount: number } {
  return { amount: starsOf(bot).reduce((sum, { amount }) => sum + amount, 0) };
}

function getStarTransactions({ sim, bot, params }: Call): unknown {
  const offset = integer(params, 'offset', 0, 0);
  const some = starsOf(bot).slice(offset, offset + integer(params, 'limit', 100, 1, 100));
  const transactions = some.map(({ id, amount, date, userId, isRefund, payload }) => {
    const partner = {
      type: 'user',
      transaction_type: 'invoice_payment',
      user: knownUser(sim, userId),
      invoice_payload: payload,
    };
    return { id, amount: Math.abs(amount), date, [isRefund ? 'receiver' : 'source']: partner };
  });
  return { transactions };
}

function starsOf(bot: SimBot): StarPayment[] {
  return (bot.settings[STARS] ?? []) as StarPayment[];
}

function addStars(sim: Simulator, bot: SimBot, payment: StarPayment): void {
  keepSetting(sim, bot, STARS, [...starsOf(bot), payment]);
}

/** Only previews are shown, as to somebody who has not paid. */
function sendPaidMedia(call: Call): Promise<unknown> {
  return send(call, 'can_send_photos', async (): Promise<MessageFields> => {
    const star_count = integer(call.params, 'star_count', 0);
    const given = json(call.params, 'media');
    if (star_count <= 0) throw badRequest('invalid paid media price specified');
    if (!Array.isArray(given) || given.length === 0) throw badRequest("can't parse media JSON object");
    const media = await Promise.all(
      given.map(async (item: { type?: string; media?: string }) => {
        const kind = item.type === 'video' ? 'video' : 'photo';
        return { type: kind, ...showMedia(kind, await readFileReference(call, kind, item.media ?? '')) };
      }),
    );
    return { paid_media: { star_count, paid_media: media }, ...readCaption(call.params) };
  });
}

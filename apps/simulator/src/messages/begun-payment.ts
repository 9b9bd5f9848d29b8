import type { SimBot } from '../bots/sim-bot.ts';
import { knownUser } from '../chats/chat-admin.ts';
import { newQueryId, type Simulator } from '../simulator.ts';
import { publishUpdate } from '../updates/publish-update.ts';
import type { OpenQuery, PaidInvoice, Payment } from './queries-and-polls.ts';

export const INVOICES = 'invoices';

/** The invoices of a bot: by their link, or of a message by `<chat id>/<message id>`. */
export function invoicesOf(bot: SimBot): Record<string, PaidInvoice> {
  return (bot.settings[INVOICES] ?? {}) as Record<string, PaidInvoice>;
}

/** Asks the bot what it has to confirm next: how it ships, or the payment as a whole. Returns the id of the query. */
export function askAboutPayment(
  sim: Simulator,
  bot: SimBot,
  kind: 'shipping' | 'pre_checkout',
  payment: Payment,
): string {
  const id = newQueryId(sim);
  const query: OpenQuery = { botId: bot.user.id, kind, answer: null, payment };
  sim.queries.set(id, query);
  sim.storage.saveQuery(id, query);
  const { currency, total_amount, invoice_payload } = payment.invoice;
  const from = knownUser(sim, payment.person);
  if (kind === 'shipping') {
    const shipping_address = {
      country_code: 'DE',
      state: '',
      city: 'Kiel',
      street_line1: 'Pier 7',
      street_line2: '',
      post_code: '24103',
    };
    publishUpdate(sim, bot, 'shipping_query', { id, from, invoice_payload, shipping_address });
  } else publishUpdate(sim, bot, 'pre_checkout_query', { id, from, currency, total_amount, invoice_payload });
  return id;
}

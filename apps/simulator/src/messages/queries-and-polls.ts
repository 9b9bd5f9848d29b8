/** A pressed button, a tapped widget, a typed inline query or a begun payment that waits for the bot's answer. */
export type OpenQuery = {
  botId: number;
  kind: 'callback' | 'widget' | 'inline' | 'shipping' | 'pre_checkout';
  /** Until when an answer is taken (ms of the simulated clock); absent: as long as you like. */
  untilMs?: number;
  /** Of a pressed button: who pressed it, and where. */
  pressed?: { person: number; chatKey: string };
  answer: Record<string, string> | null;
  payment?: Payment;
};

/** A payment that a person began: of the invoice in a message, or of an invoice link. */
export type Payment = { person: number; chatKey: string; invoice: PaidInvoice };

/** The price of an invoice, in Bot API fields, and a flag if it depends on an address. */
export type PaidInvoice = { currency: string; total_amount: number; invoice_payload: string; isFlexible: boolean };

/** A message sent through a bot's inline mode; the bot knows only its inline_message_id. */
export type InlineMessage = { botId: number; chatKey: string; messageId: number };

/** The message of a poll, and the options that each person has chosen. */
export type SentPoll = { chatKey: string; messageId: number; botId: number; votes: Map<number, number[]> };

import type { OutboxState, Priority } from '@flotilla/contract/outbox.ts';
import type { Fields } from '@flotilla/telegram/platform-fields.ts';
import type { CallActor } from '../../records/history/stream/captured-call.ts';

/** What is to be sent, as it was handed over. */
export type Content = {
  chatId: number;
  /** As the Bot API writes it. */
  method: string;
  params: Fields;
  /** How many messages the call sends, for the pace. */
  messages: number;
  priority: Priority;
  sendAt: Date | null;
  expiresAt: Date | null;
};

/** An entry of the outbox. */
export type Entry = Content & {
  id: number;
  botId: number;
  state: OutboxState;
  attempts: number;
  nextAttemptAt: Date | null;
  errorCode: number | null;
  error: string | null;
  messageId: number | null;
  /** The platform's `result`; null until it is sent, and for a large one. */
  result: unknown;
  broadcastId: number | null;
  idempotencyKey: string | null;
  /** Until when it was to be sent, if it was queued again after that. */
  firstExpiresAt: Date | null;
  createdBy: CallActor;
  /** The admin by whose right it goes out, after it was held. */
  releasedBy: CallActor | null;
  createdAt: Date;
  settledAt: Date | null;
};

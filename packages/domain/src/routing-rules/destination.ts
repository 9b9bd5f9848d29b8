import type { Bot } from '../bots/bot.ts';

/** Where a message is to be shown again, and how. */
export type Destination = {
  /** Names it in the progress of the update: `r<rule>` or `b<bot>:<chat>` for a reply that goes back. */
  key: string;
  /** What people are told it is, in reasons. */
  name: string;
  target: Bot;
  chatId: number;
  /** '' outside a business connection. */
  businessConnectionId: string;
  /** The message there that it answers. */
  replyTo: number | null;
  /** Whether it is said where it came from. */
  showsSource: boolean;
  /** Whether a message that may have been sent already is left out rather than sent again. */
  atMostOnce: boolean;
};

/** How far sending to one destination has come. */
export type DestinationProgress = {
  /** Parts that were sent. */
  sent: number;
  /** The part that was begun, where it is not to be sent twice. */
  begun?: number;
  /** The platform's own forwarding or copying does not work there. */
  anew?: true;
  /** The moment (ms) that is reserved for the next part. */
  slotMs?: number;
  /** The chat's new id, after it became a supergroup. */
  movedTo?: number;
  /** All of it was sent, or never will be. */
  end?: 'sent' | 'failed';
  reason?: string;
  status?: number | null;
};

export type RoutingProgress = {
  /** Names of the destinations that are wanted still; absent: all. A redriven dead letter has failed at these. */
  only?: string[];
  /** By key of the destination. */
  to: Record<string, DestinationProgress>;
};

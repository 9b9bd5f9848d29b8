import type { Bot } from '../../fleet/bots/bot.ts';

/** A chat that a message is sent on to, and how. */
export type Destination = {
  /** Its key in the unit's progress: `r<rule>`, or `b<bot>:<chat>` for a reply that goes back to its source. */
  key: string;
  /** Its name in failure reasons, by which a redrive selects the destinations that failed. */
  name: string;
  /** The rule that sends there by itself; null for a reply of a person, which goes back to its source. */
  ruleId: number | null;
  target: Bot;
  chatId: number;
  /** '' outside a business connection. */
  businessConnectionId: string;
  /** The message in that chat to which it replies. */
  replyTo: number | null;
  /** True if the chat is shown where the message came from. */
  showsSource: boolean;
  /** Leaves a message out, instead of sending it again, when its result is unknown. */
  atMostOnce: boolean;
};

/** How far sending to one destination has come. */
export type DestinationProgress = {
  /** How many parts were sent. */
  sent: number;
  /** The part whose sending began; kept only where no part may be sent twice. */
  begun?: number;
  /** The platform cannot forward or copy the messages there, so new ones are sent. */
  anew?: true;
  /** The time (ms, of Redis' clock) that is reserved for the next part. */
  reservedMs?: number;
  /** The chat's new id, after it became a supergroup. */
  movedTo?: number;
  /** Set when all parts were sent, or when the rest never will be. */
  end?: 'sent' | 'failed';
  reason?: string;
  status?: number | null;
};

export type RoutingProgress = {
  /** The rule and the bot that the router chose; null: none. Absent: it was not asked. */
  chosen?: { ruleId: number; targetBotId: number } | null;
  /** Names of the destinations that a redrive sends to, because the unit failed there; absent means all. */
  only?: string[];
  /** A rule of its has taken the chat over; a retry does not do it again. */
  held?: true;
  /** The hits of its rules are counted; a retry does not do it again. */
  counted?: true;
  /** By key of the destination. */
  to: Record<string, DestinationProgress>;
};

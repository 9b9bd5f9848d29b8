/** A message as one bot sees it. */
export type MessagePlace = {
  botId: number;
  chatId: number;
  messageId: number;
  /** '' outside a business connection. */
  businessConnectionId: string;
};

/** A message that was routed, and what it was made from. */
export type RouteLink = { source: MessagePlace; target: MessagePlace };

/** How long a reply finds its way back. */
export const LINK_LIFE_MS = 30 * 86_400_000;

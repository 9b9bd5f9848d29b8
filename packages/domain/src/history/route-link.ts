/** A message as one bot sees it. */
export type SeenMessage = {
  botId: number;
  chatId: number;
  messageId: number;
  /** '' outside a business connection. */
  businessConnectionId: string;
};

/** A message that was routed, and what it was made from. */
export type RouteLink = { source: SeenMessage; target: SeenMessage };

/** How long a reply finds its way back. */
export const LINK_LIFE_MS = 30 * 86_400_000;

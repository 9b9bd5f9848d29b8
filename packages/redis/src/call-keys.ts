/** Calls of a token of a program in a second and in a minute, which begin with the first of them. */
export function rateKeys(tokenId: number): { ofSecond: string; ofMinute: string } {
  return { ofSecond: `{rate:${tokenId}}:second`, ofMinute: `{rate:${tokenId}}:minute` };
}

/** The latest sends of a bot, over all processes, which limit its pace. One slot per sending bot. */
export function paceKeys(botId: number) {
  const prefix = `{pace:${botId}}`;
  return {
    /** List: when (ms) the latest messages were sent, in all and to one chat; newest first. */
    bot: `${prefix}:bot`,
    chat: (chatId: number | string) => `${prefix}:chat:${chatId}`,
    /** Before the id of the chat. */
    chatPrefix: `${prefix}:chat:`,
    /** Exists while the outbox waits for a time of the bot. */
    outboxWaits: `${prefix}:outbox-waits`,
    /** Exists while the bot is known not to see the messages of that chat. */
    unshared: (chatId: number) => `${prefix}:unshared:${chatId}`,
  };
}

/** Until when the platform takes no calls of a family, for all bots together: a process that begins reads them all at once. */
export const floodKeys = {
  /** Sorted set: name of a flood → until when (ms of Redis' clock). */
  floods: '{floods}:until',
  /** Hash: name of a flood → number of its last 429, and since when (ms) it lasts. */
  noted: '{floods}:noted',
  /** Counter of these numbers. It is never removed, so that a process notices when Redis lost it. */
  numbers: '{floods}:numbers',
} as const;

/** Exists for a day when one of our bots wrote this message and other bots cannot see its author. */
export function ownPostKey(chat: number | string, messageId: number): string {
  return `flotilla:own-post:${chat}:${messageId}`;
}

/** The source of a routed message, while their link is on its way to Postgres. */
export function freshLinkKey(botId: number, businessConnectionId: string, chatId: number, messageId: number): string {
  return `flotilla:link:${botId}:${businessConnectionId}:${chatId}:${messageId}`;
}

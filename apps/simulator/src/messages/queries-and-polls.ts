/** A button pressed or an inline query typed, waiting for the bot's answer. */
export type OpenQuery = { botId: number; kind: 'callback' | 'inline'; answer: Record<string, string> | null };

/** A message sent by way of a bot, which knows it by an id of its own alone. */
export type InlineMessage = { botId: number; chatKey: string; messageId: number };

/** Where a poll stands, and the options each person has chosen. */
export type SentPoll = { chatKey: string; messageId: number; botId: number; votes: Map<number, number[]> };

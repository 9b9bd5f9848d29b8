/** A pressed button or a typed inline query that waits for the bot's answer. */
export type OpenQuery = { botId: number; kind: 'callback' | 'inline'; answer: Record<string, string> | null };

/** A message sent through a bot's inline mode; the bot knows only its inline_message_id. */
export type InlineMessage = { botId: number; chatKey: string; messageId: number };

/** The message of a poll, and the options that each person has chosen. */
export type SentPoll = { chatKey: string; messageId: number; botId: number; votes: Map<number, number[]> };

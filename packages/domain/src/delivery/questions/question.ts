export type QuestionState = 'open' | 'answered' | 'expired' | 'cancelled';

/** A question with buttons, asked in a chat. */
export type Question = {
  id: number;
  botId: number;
  chatId: number;
  /** '' for the chat of the bot itself. */
  businessConnectionId: string;
  threadId: number | null;
  text: string;
  options: string[];
  /** Who may answer; null: everybody in the chat. */
  allowedUserIds: number[] | null;
  nonce: string;
  /** null until the platform has taken the message. */
  messageId: number | null;
  state: QuestionState;
  /** The index of the chosen option, if it was answered. */
  chosen: number | null;
  answeredBy: { id: number; name: string } | null;
  expiresAt: Date;
  settledAt: Date | null;
  createdAt: Date;
};

/** The text of the message once the question was settled: the question, and how it ended. */
export function settledText(question: Question): string {
  return `${question.text}\n\n${endOf(question)}`;
}

function endOf({ state, options, chosen, answeredBy }: Question): string {
  switch (state) {
    case 'answered':
      return `✅ ${options[chosen ?? 0]} (${answeredBy?.name})`;
    case 'expired':
      return '⌛ Nobody answered in time.';
    case 'cancelled':
      return '✖️ Cancelled.';
    case 'open':
      return '';
  }
}

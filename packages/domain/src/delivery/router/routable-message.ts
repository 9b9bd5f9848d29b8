import { readMessageText } from '@flotilla/telegram/message-text.ts';
import { type Fields, readInteger, readObject } from '@flotilla/telegram/platform-fields.ts';

/** The parts of a message or an album that the router sees. */
export type RoutableMessage = {
  chat_id: number;
  /** null: it does not say who wrote it. */
  writerId: number | null;
  /** null: it has no words, or is a command alone. */
  text: string | null;
  /** It begins the conversation with the bot anew. */
  isStart: boolean;
};

const COMMAND_ALONE = /^\/\w{1,32}(?:@\w+)?$/u;
const START = /^\/start(?:@\w+)?(?:\s|$)/u;

/** The chat, and the words of all its messages. */
export function routableMessage(messages: Fields[]): RoutableMessage {
  const [first = {}] = messages;
  const words = messages.map((message) => readMessageText(message)?.trim() ?? '').filter((text) => text !== '');
  const text = words.join('\n');
  return {
    chat_id: readInteger(readObject(first, 'chat') ?? {}, 'id') ?? 0,
    writerId: readInteger(readObject(first, 'from') ?? {}, 'id'),
    text: text === '' || COMMAND_ALONE.test(text) ? null : text,
    isStart: START.test(text),
  };
}

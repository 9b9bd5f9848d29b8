import { setTimeout as delay } from 'node:timers/promises';
import { type Fields, readInteger, readObject } from '@flotilla/telegram/platform-fields.ts';
import { type Bot, keepsHistory } from '../../fleet/bots/bot.ts';
import { type TakeoverDeps, takeOverChat } from './take-over-chat.ts';

/** Sees that the owner of a business account answers a customer, and takes the chat over. Never throws. */
export type OwnerAnswers = {
  /** Await it before the updates are accepted, so that the bot does not get the answer either. */
  see(bot: Bot, updates: readonly { value: Fields }[]): Promise<void>;
};

const MINUTES = 60;
/** Nobody waits longer for Redis and Postgres. */
const WAIT_MS = 2_000;

export function ownerAnswers(deps: TakeoverDeps): OwnerAnswers {
  const takeOver = async (bot: Bot, { chat_id, connection, dateS }: OwnersAnswer): Promise<void> => {
    // Old ones come after a pause of intake, and when the platform sends again.
    const leftMinutes = MINUTES - (deps.clock.nowMs() / 1000 - dateS) / 60;
    if (leftMinutes <= 0) return;
    const taken = { holder: { kind: 'owner' }, minutes: Math.min(leftMinutes, MINUTES) } as const;
    await takeOverChat(deps, bot, { chat_id, business_connection_id: connection }, taken).catch((error: unknown) =>
      deps.log.warn(
        { bot: bot.id, reason: String(error) },
        'a chat could not be taken over for the owner who answered',
      ),
    );
  };
  return {
    see: async (bot, updates) => {
      if (!keepsHistory(bot)) return;
      const answers = updates.map(({ value }) => ownersAnswer(value)).filter((answer) => answer !== null);
      // All at once, so that answers in many chats do not wait for a slow store one after the other.
      const taken = Promise.all(answers.map((answer) => takeOver(bot, answer)));
      await Promise.race([taken, delay(WAIT_MS, undefined, { ref: false })]);
    },
  };
}

/** The platform's ids are base64url. */
const CONNECTION = /^[\w-]{1,256}$/;

type OwnersAnswer = { chat_id: number; connection: string; dateS: number };

/**
 * The chat of a customer in which the owner of the account writes: it has the customer's id. Greetings and away messages, which
 * the platform sends for the owner, are none (Message.is_from_offline), nor is what a bot sends.
 */
export function ownersAnswer(update: Fields): OwnersAnswer | null {
  const message = readObject(update, 'business_message');
  if (message === null || message.is_from_offline === true || readObject(message, 'sender_business_bot') !== null)
    return null;
  const chat_id = readInteger(readObject(message, 'chat') ?? {}, 'id');
  const writer = readInteger(readObject(message, 'from') ?? {}, 'id');
  if (chat_id === null || writer === null || writer === chat_id || readObject(message, 'sender_chat') !== null)
    return null;
  const { business_connection_id: connection } = message;
  if (typeof connection !== 'string' || !CONNECTION.test(connection)) return null;
  return { chat_id, connection, dateS: readInteger(message, 'date') ?? 0 };
}

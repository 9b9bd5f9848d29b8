import type { Database } from '@flotilla/database/connect.ts';
import { type Bot, keepsHistory } from '../../fleet/bots/bot.ts';
import type { Message } from '../../records/messages/message-store.ts';
import { messageStore } from '../../records/messages/message-store.ts';
import type { ReaderAttempt } from './list-attempts.ts';

/**
 * A call of the Bot API that an update led to. answer: it was in the answer of a backend, which is certain. reply: the message
 * replies to that of the update. after: the bot wrote it in that chat soon after, before anybody else wrote there.
 */
export type CallOfUpdate = {
  atMs: number;
  how: 'answer' | 'reply' | 'after';
  /** The reader whose answer it was in. */
  reader: string | null;
  method: string | null;
  error: string | null;
  messageId: number | null;
  /** The message that it sent, of the history. */
  message: Message | null;
};

type About = { acceptedAtMs: number | null; chat_id: number | null; messageId: number | null; kind: string | null } & {
  /** '' outside business connections; null if it is not known. */
  businessConnectionId: string | null;
};

const REPLIES_MS = 600_000;
const AFTER_MS = 60_000;
const LOOKED_AT = 200;
/** Kinds by which a person writes or presses in a chat. */
const SPOKEN = ['message', 'channel_post', 'business_message', 'callback_query', 'widget_query'];

/** The calls that an update led to, oldest first. */
export async function callsOfUpdate(
  { db }: { db: Database },
  bot: Bot,
  { acceptedAtMs, chat_id, messageId, kind, businessConnectionId }: About,
  attempts: readonly ReaderAttempt[],
): Promise<CallOfUpdate[]> {
  const answers = attempts.flatMap(callInAnswer);
  if (chat_id === null || acceptedAtMs === null || !keepsHistory(bot)) return answers.reverse();
  const sent = await sentAfter(db, { bot_id: bot.id, chat_id }, acceptedAtMs, businessConnectionId ?? undefined);
  const known = new Map(sent.map((message) => [message.id, message]));
  const isReply = (message: Message) => messageId !== null && message.reply_to_message_id === messageId;
  const until = nextOfOthers(sent, { acceptedAtMs, messageId });
  const others = sent.flatMap((message): CallOfUpdate[] => {
    const isSoon =
      SPOKEN.includes(kind ?? '') && message.date * 1000 <= acceptedAtMs + AFTER_MS && message.date <= until;
    if (!message.outgoing || answers.some((answer) => answer.messageId === message.id)) return [];
    const how = isReply(message) ? 'reply' : isSoon && message.reply_to_message_id === null ? 'after' : null;
    if (how === null) return [];
    return [
      {
        ...{ atMs: message.date * 1000, how, reader: null, method: null, error: null },
        messageId: message.id,
        message,
      },
    ];
  });
  const shown = answers.map((answer) => ({ ...answer, message: known.get(answer.messageId ?? 0) ?? null }));
  return [...shown, ...others].sort((one, other) => one.atMs - other.atMs);
}

function callInAnswer({ atMs, durationMs, reader, call, call_error }: ReaderAttempt): CallOfUpdate[] {
  if (call === undefined && call_error === undefined) return [];
  const made = { method: call?.method ?? null, error: call_error ?? null, messageId: call?.messageId ?? null };
  return [{ atMs: atMs + durationMs, how: 'answer', reader, ...made, message: null }];
}

/** The messages of the chat since then, oldest first; the history has seconds. */
function sentAfter(
  db: Database,
  chat: { bot_id: number; chat_id: number },
  atMs: number,
  business_connection_id: string | undefined,
): Promise<Message[]> {
  const fromS = Math.floor(atMs / 1000);
  const filter = { fromS, toS: fromS + REPLIES_MS / 1000, business_connection_id };
  const after = [fromS, Number.MIN_SAFE_INTEGER, 0, ''] as const;
  return messageStore(db).listAfter(chat, { include_deleted: true, filter, limit: LOOKED_AT, after });
}

/** When (s) somebody else wrote there next: what the bot writes afterwards may answer that. */
function nextOfOthers(
  messages: readonly Message[],
  { acceptedAtMs, messageId }: Pick<About, 'messageId'> & { acceptedAtMs: number },
): number {
  const next = messages.find(
    ({ outgoing, id, date }) =>
      !outgoing && id > 0 && id !== messageId && (messageId === null ? date * 1000 > acceptedAtMs : id > messageId),
  );
  return next?.date ?? Number.POSITIVE_INFINITY;
}

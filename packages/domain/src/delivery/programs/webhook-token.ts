import { isAmongTopics } from '@flotilla/telegram/message-topic.ts';
import type { ActiveProgram, ActiveToken } from '../../fleet/bots/active-program.ts';

/**
 * The token that set the backend of a program: null if people did, 'ended' if it was revoked or has expired, 'left' if the
 * filter of the program has left its chats or topics.
 */
export function webhookTokenOf(
  { webhook_token_id, tokens, ...program }: Pick<ActiveProgram, 'webhook_token_id' | 'tokens'> & Selecting,
  nowMs: number,
): ActiveToken | 'ended' | 'left' | null {
  if (webhook_token_id === null) return null;
  const token = tokens.find(({ id }) => id === webhook_token_id);
  const endsAtMs = token?.expiresAtMs ?? Number.POSITIVE_INFINITY;
  if (token === undefined || endsAtMs <= nowMs) return 'ended';
  return staysWithin(program, token) ? token : 'left';
}

/** By which a program selects updates. */
type Selecting = Pick<ActiveProgram, 'filter' | 'chats_revision'>;

/**
 * True if all updates that a program selects are of the chats and topics of a token. Those without a chat are in none. A program with links
 * may get any chat.
 */
export function staysWithin(
  { filter: { chat_ids, thread_ids }, chats_revision }: Selecting,
  { chats, threads }: Pick<ActiveToken, 'chats' | 'threads'>,
): boolean {
  if (chats === null) return true;
  if (chats_revision > 0 || chat_ids?.every((chat) => chats.includes(chat)) !== true) return false;
  return (
    threads === null || thread_ids?.every((thread) => isAmongTopics(new Set(threads), thread, chats[0] ?? 0)) === true
  );
}

import type { Automatic } from '@flotilla/contract/messages.ts';
import { type MessageFacts, readMessageFacts } from '@flotilla/telegram/message-facts.ts';
import type { Fields } from '@flotilla/telegram/platform-fields.ts';
import { readKeyboard } from '@flotilla/telegram/reply-keyboard.ts';
import type { HistoryBot, HistoryEffect, NewMessage } from './history-effect.ts';

export interface MessageOrigin {
  /** True when the bot sent it, even if the platform names another author. */
  sent: boolean;
  /** The edit's date (Unix seconds) for a message that has none; null when it is no edit. */
  editedAtS: number | null;
  /** The program that sent it; absent if there is none. */
  programId?: number | undefined;
  /** The automatic sender; absent if it is an answer. */
  automatic?: Automatic | undefined;
  /** The `reply_markup` with which it was sent; the message itself has no reply keyboard. */
  reply_markup?: unknown;
}

/**
 * The effects of a Message on the history: its chat, its author, its row, and the move of a group that became a
 * supergroup. Throws FlotillaError for a message whose ids cannot be kept exactly.
 */
export function messageEffects(bot: HistoryBot, value: Fields, origin: MessageOrigin): HistoryEffect[] {
  const facts = readMessageFacts(value);
  const direct = facts.business_connection_id === '';
  const effects: HistoryEffect[] = [{ type: 'chat', chat: facts.chat, guessed: false, direct }];
  if (facts.sender !== null && !facts.sender.isChat) {
    effects.push({ type: 'author', chat_id: facts.chat.id, user: facts.sender, seenAtS: facts.dateS });
  }
  const message = newMessage(bot, facts, origin);
  effects.push({ type: 'message', message });
  if (facts.topic !== null) {
    const { threadId, made, changed } = facts.topic;
    const messageAtS = message.automatic === null ? facts.dateS : null;
    effects.push({ type: 'topic', topic: { chat: facts.chat.id, threadId, made, changed, messageAtS } });
  }
  if (facts.groupMove !== null) effects.push({ type: 'migrate', move: facts.groupMove, atS: facts.dateS });
  return effects;
}

function newMessage(bot: HistoryBot, facts: MessageFacts, origin: MessageOrigin): NewMessage {
  const { sender } = facts;
  const keyboard = readKeyboard(origin.reply_markup);
  return {
    business_connection_id: facts.business_connection_id,
    chat_id: facts.chat.id,
    id: facts.id,
    user_id: sender?.id ?? null,
    username: sender?.username ?? null,
    first_name: sender?.first_name ?? null,
    last_name: sender?.last_name ?? null,
    text: facts.text,
    date: facts.dateS,
    media_type: facts.media_type,
    service: facts.service,
    file_id: facts.file_id,
    reply_to_message_id: facts.reply_to_message_id,
    edit_date: facts.editDateS ?? origin.editedAtS,
    outgoing: origin.sent || sender?.id === bot.telegram_id || facts.senderBusinessBotId === bot.telegram_id,
    details: keyboard === null ? facts.details : { ...facts.details, keyboard },
    program_id: origin.programId ?? null,
    automatic: origin.automatic ?? (facts.is_from_offline ? { kind: 'away' } : null),
  };
}

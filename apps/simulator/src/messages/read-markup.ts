import { badRequest } from '../bot-api-error.ts';
import type { Chat } from '../chats/chat.ts';
import { type Params, text } from '../http/params.ts';
import type { Call } from '../methods/call.ts';

type Button = Record<string, unknown>;

/** The inline keyboard of a call, or undefined. Messages do not show other keyboards, as on the platform. */
export function readMarkup(params: Params): Record<string, unknown> | undefined {
  const markup = parseMarkup(params);
  const rows = markup?.inline_keyboard;
  if (rows === undefined) return undefined;
  if (!Array.isArray(rows)) throw badRequest('field "inline_keyboard" of the InlineKeyboardMarkup must be an Array');
  const kept = rows.filter((row): row is Button[] => Array.isArray(row) && row.length > 0);
  for (const button of kept.flat()) checkButton(button);
  return kept.length === 0 ? undefined : { inline_keyboard: kept };
}

/** Keeps what a message of a bot says of the keyboard below the chat: another one, none, or a reply that is awaited. */
export function keepKeyboard({ sim, bot, params }: Call, chat: Chat, messageId: number): void {
  const markup = parseMarkup(params);
  if (markup?.remove_keyboard === true) chat.keyboard = null;
  else if (Array.isArray(markup?.keyboard) || markup?.force_reply === true) {
    chat.keyboard = { messageId, botId: bot.user.id, markup };
  } else return;
  sim.storage.saveChat(chat);
}

function parseMarkup(params: Params): Record<string, unknown> | undefined {
  const raw = text(params, 'reply_markup');
  if (raw === '') return undefined;
  let markup: unknown;
  try {
    markup = JSON.parse(raw);
  } catch {
    throw badRequest("can't parse reply keyboard markup JSON object");
  }
  if (markup === null) return undefined;
  if (typeof markup !== 'object' || Array.isArray(markup)) throw badRequest('object expected as reply markup');
  return markup as Record<string, unknown>;
}

function checkButton(button: Button): void {
  if (typeof button !== 'object' || button === null) throw badRequest('InlineKeyboardButton must be an Object');
  if (typeof button.text !== 'string' || button.text === '') {
    throw badRequest('can\'t parse inline keyboard button: Can\'t find field "text"');
  }
  const actions = Object.keys(button).filter((key) => key !== 'text' && key !== 'style' && !key.startsWith('icon_'));
  if (actions.length === 0) {
    throw badRequest("can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard");
  }
  const data = button.callback_data;
  if (typeof data === 'string' && (data === '' || Buffer.byteLength(data) > 64))
    throw badRequest('BUTTON_DATA_INVALID');
}

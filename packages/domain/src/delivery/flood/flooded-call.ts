import { METHOD_FAMILIES, type MethodFamily } from '@flotilla/contract/bot-api/methods.ts';
import { EPHEMERAL } from '@flotilla/contract/bot-api/parameters.ts';
import { familyOf } from '@flotilla/telegram/method-families.ts';
import { scalarText } from '@flotilla/telegram/scalar-text.ts';

/** The calls that the platform counts together: those of one family of one bot to one chat, or those of one method that name no chat. */
export type FloodedCall = {
  botId: number;
  family: MethodFamily;
  /** The chat as `placeOf` names it; WHOLE_BOT for sends and the like that name none, and a name of its own for another method. */
  place: string;
};

export const WHOLE_BOT = '';
const CHAT_ID = /^-?[1-9]\d{0,15}$/;
const CHAT_NAME = /^@\w{1,64}$/;
const INLINE_MESSAGE = /^[\w-]{1,64}$/;
/** Where a message is that was sent by an inline query: only its id is known, so each is a place of its own. */
const INLINE = 'inline:';
/** Before the method of a call without a chat that is neither a send nor an edit: its limit says nothing about other methods. */
const METHOD = 'method:';
/** Before a business connection and a chat of it, which is another one than the bot's own with the same id. */
const BUSINESS = 'business:';
const CONNECTION = /^[\w-]{1,64}$/;
const METHOD_NAME = /^\w{1,64}$/;
const NAME = /^(\d{1,15}) (\w+) (\S*)$/;

type Read = (parameter: string) => unknown;

/**
 * The place that the parameters of a call name: a chat, also one of a business connection, an inline message, or the whole bot. Null for
 * an unusual chat, or one that is not named.
 */
export function placeOf(parameter: Read): string | null {
  const chat = scalarText(parameter('chat_id'));
  if (chat === '') {
    const message = scalarText(parameter('inline_message_id'));
    // The chat is that of a press, which nobody keeps.
    if (message === '' && (parameter(EPHEMERAL) ?? '') !== '') return null;
    if (message === '') return WHOLE_BOT;
    return INLINE_MESSAGE.test(message) ? INLINE + message : null;
  }
  const ofBot = CHAT_ID.test(chat) || CHAT_NAME.test(chat) ? chat.toLowerCase() : null;
  const connection = scalarText(parameter('business_connection_id'));
  if (ofBot === null || connection === '') return ofBot;
  return CONNECTION.test(connection) ? `${BUSINESS}${connection}:${ofBot}` : null;
}

/** The call that floods are remembered for; null if a 429 to it says nothing about others, or nobody knows its chat. */
export function floodedCall(botId: number, lowerCaseMethod: string, parameter: Read): FloodedCall | null {
  const place = placeOf(parameter);
  return place === null ? null : floodedCallAt(botId, lowerCaseMethod, place);
}

/** The same for a place that is known. */
export function floodedCallAt(botId: number, lowerCaseMethod: string, place: string): FloodedCall | null {
  const family = familyOf(lowerCaseMethod);
  if (family === null) return null;
  if (family !== 'other' || place !== WHOLE_BOT) return { botId, family, place };
  return METHOD_NAME.test(lowerCaseMethod) ? { botId, family, place: METHOD + lowerCaseMethod } : null;
}

export type ShownPlace = {
  chat_id?: number;
  chat_username?: string;
  business_connection_id?: string;
  inline_message_id?: string;
  method?: string;
};

/** A place as people see it; {} for the whole bot. */
export function shownPlace(place: string): ShownPlace {
  if (place === WHOLE_BOT) return {};
  if (place.startsWith(METHOD)) return { method: place.slice(METHOD.length) };
  if (place.startsWith(INLINE)) return { inline_message_id: place.slice(INLINE.length) };
  if (place.startsWith(BUSINESS)) {
    const [, connection = '', chat = ''] = place.split(':');
    return { ...shownPlace(chat), business_connection_id: connection };
  }
  return CHAT_ID.test(place) ? { chat_id: Number(place) } : { chat_username: place.slice(1) };
}

/** True for what is sent to a chat, or edited there: the platform also limits that for the whole bot. */
export function isOfChat({ family, place }: FloodedCall): boolean {
  const isChat = CHAT_ID.test(place) || CHAT_NAME.test(place) || place.startsWith(BUSINESS);
  return isChat && (family === 'send' || family === 'edit');
}

/** True for calls of one method that name no chat. */
export function isOfMethod({ place }: FloodedCall): boolean {
  return place.startsWith(METHOD);
}

/** How all processes name a flood. */
export function nameOfFlood({ botId, family, place }: FloodedCall): string {
  return `${botId} ${family} ${place}`;
}

/** The flood of such a name; null if it is none, or one that only a newer or an older release knows. */
export function floodNamed(name: string): FloodedCall | null {
  const [, botId, family, place] = NAME.exec(name) ?? [];
  const known = METHOD_FAMILIES.find((one) => one === family);
  if (known === 'other' && place === WHOLE_BOT) return null;
  return known === undefined ? null : { botId: Number(botId), family: known, place: place as string };
}

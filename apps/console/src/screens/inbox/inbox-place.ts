import type { ChatResource } from '@flotilla/contract/chats.ts';
import { linkOptions } from '@tanstack/react-router';
import { createContext, type RefObject, use } from 'react';
import { searchOf } from '../../parts/inbox-address.ts';
import type { ChatId } from './chat/use-window.ts';
import type { InboxFilter, InboxSearch } from './inbox-filter.ts';

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** Of a chat: the list alone was shown before it, so the way back is that of the browser. */
    fromList?: boolean;
  }
}

/** Where the inbox is shown: as a screen, or as a view of one bot; and what its address names. */
export type InboxPlace = {
  /** Of the bot whose view it is. */
  ofBot: string | undefined;
  chat: ChatId | null;
  filter: InboxFilter;
  around: number | undefined;
  /** The chat was opened by its key in the list: the field gets the focus. */
  wantsField: RefObject<boolean>;
};

const PlaceContext = createContext<InboxPlace | null>(null);
export const InboxPlaceProvider = PlaceContext.Provider;

export function useInboxPlace(): InboxPlace {
  return use(PlaceContext)!;
}

type ChatKey = Pick<ChatResource, 'bot_id' | 'id' | 'business_connection_id'> & { topic?: number | undefined };

/** The address of a chat or a topic of it, or of a message there, beside the same list. */
export function linkToChat({ ofBot, filter }: InboxPlace, chat: ChatKey, around?: number) {
  const { bot_id, id, topic, business_connection_id: connection } = chat;
  const search: InboxSearch = {
    ...filter,
    ...(ofBot === undefined ? {} : { bot: ofBot }),
    ...searchOf({ connection, around }),
    ...(topic === undefined ? {} : { topic: String(topic) }),
  };
  return linkOptions({ to: '/inbox/$botId/$chatId', params: { botId: String(bot_id), chatId: String(id) }, search });
}

/** The key of the shown chat for `linkToChat`. */
export function keyOfChat({ bot_id, chat_id, connection, threadId }: ChatId): ChatKey {
  return { bot_id, id: chat_id, business_connection_id: connection, topic: threadId };
}

/** The address of the list alone. */
export function linkToList({ ofBot }: InboxPlace, search: InboxFilter) {
  return ofBot === undefined
    ? linkOptions({ to: '/inbox', search })
    : linkOptions({ to: '/bots/$id/chats', params: { id: ofBot }, search });
}

/** The address of what is shown now, with another filter. */
export function linkToFilter(place: InboxPlace, filter: InboxFilter) {
  const { chat } = place;
  if (chat === null) return linkToList(place, filter);
  return linkToChat({ ...place, filter }, keyOfChat(chat), place.around);
}

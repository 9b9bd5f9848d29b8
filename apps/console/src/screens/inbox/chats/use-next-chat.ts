import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { keyOfChat, linkToChat, linkToList, useInboxPlace } from '../inbox-place.ts';
import { chatKey, pageOf } from './use-chats.ts';

/** Opens the chat after the open one in a queue whose chats leave it when they are resolved. */
export function useNextChat(): () => void {
  const place = useInboxPlace();
  const queries = useQueryClient();
  const navigate = useNavigate();
  return () => {
    const { chat, filter, ofBot } = place;
    if (chat === null || filter.queue === undefined || filter.queue === 'done') return;
    const page = pageOf(ofBot === undefined ? filter : { ...filter, bot: ofBot }, 0);
    const rows = queries.getQueryData(page.queryKey)?.rows ?? [];
    const at = rows.findIndex((row) => chatKey(row) === chatKey(keyOfChat(chat)));
    const next = rows[at + 1] ?? rows[at - 1];
    void navigate(next === undefined ? linkToList(place, filter) : linkToChat(place, next));
  };
}

import { useQuery } from '@tanstack/react-query';
import DataLoader from 'dataloader';
import type { ReactNode } from 'react';
import { type Answer, call } from '../call.ts';
import { nameOf } from './person-name.ts';

type Chat = Answer<'listChats'>[number];
type Asked = { botId: string; chatId: string };

/** Up to so many chats of a bot are asked for each by its id; more are looked for in one page of the newest. */
const ASKED_ALONE = 3;
const NEWEST = 200;
const FOUND = 8;
const KNOWN_MS = 5 * 60_000;

/** The name of a chat: its title, else its username, else its id. */
export function titleOf({ id, title, ...names }: Pick<Chat, 'id'> & Partial<Pick<Chat, 'title' | 'username'>>): string {
  return title || nameOf(names) || String(id);
}

/** The name of a chat in our own records; its id while that is all that is known. */
export function useChatName(botId: number | string | undefined, chatId: number | string | undefined): string {
  const asked = { botId: String(botId), chatId: String(chatId) };
  const title = useQuery({
    queryKey: ['chat-name', asked.botId, asked.chatId],
    queryFn: () => titles.load(asked),
    enabled: Boolean(botId) && Boolean(chatId),
    staleTime: KNOWN_MS,
  });
  return title.data ?? String(chatId ?? '');
}

type NameProps = { bot_id: number | string; chat_id: number | string };

/** The name of a chat; its id when the pointer rests there. */
export function ChatName({ bot_id, chat_id }: NameProps): ReactNode {
  return (
    <bdi className="cut" title={String(chat_id)}>
      {useChatName(bot_id, chat_id)}
    </bdi>
  );
}

/** Chats that are named at the same moment, such as those of a list's rows, come in one call. */
const titles = new DataLoader<Asked, string>(
  async (asked) => {
    const known = new Map<string, ReturnType<typeof chatsOfBot>>();
    for (const { botId } of asked) {
      const ids = new Set(asked.flatMap((one) => (one.botId === botId ? [one.chatId] : [])));
      if (!known.has(botId)) known.set(botId, chatsOfBot(botId, [...ids]));
    }
    return Promise.all(
      asked.map(async ({ botId, chatId }) => {
        const chats = await known.get(botId)!.catch((error: Error) => error);
        if (chats instanceof Error) return chats;
        const chat = chats.find(({ id }) => String(id) === chatId);
        return chat ? titleOf(chat) : chatId;
      }),
    );
  },
  { cache: false, batchScheduleFn: (load) => setTimeout(load, 0) },
);

/** Unlike `showChat`, the list does not fail for a chat that the bot has not met. */
async function chatsOfBot(bot_id: string, ids: readonly string[]): Promise<Chat[]> {
  if (ids.length > ASKED_ALONE) return call('listChats', { bot_id, order: 'recent', limit: NEWEST });
  const found = await Promise.all(ids.map((q) => call('listChats', { bot_id, q, limit: FOUND })));
  return found.flat();
}

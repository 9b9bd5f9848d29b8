import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { call } from '../../call.ts';
import { nameQuery } from '../../parts/bot-field.tsx';
import { Icon } from '../../parts/icon.tsx';
import { type Finder, type Option, PickField } from '../../parts/pick-field.tsx';
import { useWords } from '../../words/words.tsx';
import { useMcpWords } from './mcp-words.ts';
import '../../parts/chips.css';

const SHOWN = 8;
/** The most that one answer has, of which those of other bots are left out. */
const LOOKED_THROUGH = 200;

export type ChatOfBot = { botId: number; chatId: number; name: string; botName: string };

type FieldProps = {
  chats: readonly ChatOfBot[];
  choose: (chats: readonly ChatOfBot[]) => void;
  /** The bots whose chats are offered; null: all that the caller sees. */
  among: readonly number[] | null;
  fault: string | undefined;
};

/** Chats of several bots, each found by a part of its name or by its id. */
export function ChatsOfBotsField({ chats, choose, among, fault }: FieldProps): ReactNode {
  const words = useMcpWords();
  const { access } = useWords();
  const queries = useQueryClient();
  const add = ({ id, name, note = '' }: Option) => {
    const [botId, chatId] = id.split(':').map(Number) as [number, number];
    const others = chats.filter((chat) => chat.botId !== botId || chat.chatId !== chatId);
    choose([...others, { botId, chatId, name, botName: note }]);
  };
  return (
    <>
      {chats.length > 0 && (
        <ul className="chips" aria-label={words.chats}>
          {chats.map((chat) => (
            <li key={`${chat.botId}:${chat.chatId}`} className="chip">
              <bdi className="cut">{chat.name}</bdi>
              <bdi className="muted cut">{chat.botName}</bdi>
              <button
                type="button"
                aria-label={access.without(words.inBot(chat.name, chat.botName))}
                onClick={() => choose(chats.filter((one) => one !== chat))}
              >
                <Icon name="close" />
              </button>
            </li>
          ))}
        </ul>
      )}
      <PickField
        label={words.addChat}
        hint={words.addChatHint}
        chosen=""
        finder={chatFinder(queries, among, words.chat)}
        fault={fault}
        choose={(option) => option && add(option)}
      />
    </>
  );
}

/** The chats that were written in last, each with the name of its bot. */
function chatFinder(queries: QueryClient, among: readonly number[] | null, unnamed: (id: string) => string): Finder {
  return {
    key: ['chats', 'picked', 'of-bots', among],
    async find(q, signal) {
      const limit = among === null ? SHOWN : LOOKED_THROUGH;
      const found = await call('listChats', { order: 'recent', limit, ...(q === '' ? {} : { q }) }, signal);
      const offered = found.filter(({ bot_id: bot }) => among === null || among.includes(bot)).slice(0, SHOWN);
      return Promise.all(
        offered.map(async ({ id, bot_id: bot, title }) => ({
          id: `${bot}:${id}`,
          name: title ?? unnamed(String(id)),
          note: await nameOfBot(queries, bot),
        })),
      );
    },
  };
}

async function nameOfBot(queries: QueryClient, id: number): Promise<string> {
  const known = await queries.fetchQuery(nameQuery(String(id))).catch(() => null);
  return known?.name ?? `#${id}`;
}

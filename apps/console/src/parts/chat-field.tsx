import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useMemo } from 'react';
import { call } from '../call.ts';
import { useWords } from '../words/words.tsx';
import { nameQuery } from './bot-field.tsx';
import { titleOf, useChatName } from './chat-name.tsx';
import { type Finder, type Option, PickField } from './pick-field.tsx';

const SHOWN = 8;
/** One answer has so many, of which those of other bots are left out. */
const LOOKED_THROUGH = 200;
const ID = /^-?[1-9]\d{0,15}$/;

type WhereProps = {
  /** Absent: a chat of any bot. */
  botId?: number | string | undefined;
  /** The bots whose chats are offered; absent or null: all that the caller sees. */
  among?: readonly number[] | null;
  /** The option for no chat of its own. */
  none?: Option;
};

type ChatFieldProps = WhereProps & {
  label: string;
  chatId: string | undefined;
  choose: (chatId: string | undefined, botId: string | undefined) => void;
  placeholder?: string;
  hint?: string;
  fault?: string | null | undefined;
};

/** A chat, found in our own records by a part of its name or by its id; of a known bot, also one that it has not met. */
export function ChatField({ botId, among, none, chatId, choose, ...rest }: ChatFieldProps): ReactNode {
  const isNone = none !== undefined && none.id === chatId;
  const name = useChatName(botId, isNone ? undefined : chatId);
  const finder = useChatFinder({ botId, among: among ?? null, ...(none === undefined ? {} : { none }) });
  const pick = (option: Option | null) => {
    const [id, ofBot = botId] = option?.id.split(' ') ?? [];
    choose(id, ofBot === undefined ? undefined : String(ofBot));
  };
  const own = (typed: string) => (typed === none?.id || ID.test(typed) ? { id: typed, name: typed } : null);
  return (
    <PickField
      {...rest}
      chosen={isNone ? none.name : name}
      finder={finder}
      choose={pick}
      {...(botId === undefined ? {} : { own })}
    />
  );
}

/** The ids of its options are those of a chat and of its bot. */
function useChatFinder({ botId, among, none }: WhereProps): Finder {
  const queries = useQueryClient();
  const { pick: words } = useWords();
  return useMemo(() => {
    const nameOfBot = async (id: number) => {
      const bot = await queries.fetchQuery(nameQuery(String(id))).catch(() => null);
      return bot?.name ?? `#${id}`;
    };
    const find = async (q: string, signal: AbortSignal): Promise<Option[]> => {
      const where = { ...(botId ? { bot_id: botId } : {}), ...(q === '' ? {} : { q }) };
      const limit = among ? LOOKED_THROUGH : SHOWN;
      const chats = await call('listChats', { ...where, order: 'recent', limit }, signal);
      const offered = chats.filter(({ bot_id: bot }) => !among || among.includes(bot)).slice(0, SHOWN);
      const found = offered.map(async (chat) => ({
        id: `${chat.id} ${chat.bot_id}`,
        name: titleOf(chat),
        note: botId ? String(chat.id) : await nameOfBot(chat.bot_id),
      }));
      if (found.length === 0 && botId && ID.test(q)) return [{ id: q, name: q, note: words.byId }];
      return [...(none !== undefined && q === '' ? [none] : []), ...(await Promise.all(found))];
    };
    return { key: ['chats', 'picked', botId, among, none?.name], find };
  }, [queries, words, botId, among, none]);
}

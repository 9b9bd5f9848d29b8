import type { ReactNode } from 'react';
import { useWords } from '../words/words.tsx';
import { useBotName } from './bot-field.tsx';
import { ChatField } from './chat-field.tsx';
import { useChatName } from './chat-name.tsx';
import { Icon } from './icon.tsx';
import './chips.css';

export type ChatOfBot = { bot_id: number; chat_id: number };

type ChatsProps = {
  label: string;
  hint: string;
  fault: string | undefined;
  chats: readonly ChatOfBot[];
  choose: (chats: readonly ChatOfBot[]) => void;
  /** The one bot whose chats they are; absent: they are of several. */
  botId?: number;
  among?: readonly number[] | null;
};

/** Some chats, each of which can be taken away; another one is found by a part of its name or by its id. */
export function ChatsField({ chats, choose, botId, ...field }: ChatsProps): ReactNode {
  const others = (one: ChatOfBot) => chats.filter((chat) => chat.bot_id !== one.bot_id || chat.chat_id !== one.chat_id);
  const add = (chat: ChatOfBot) => choose([...others(chat), chat]);
  return (
    <>
      {chats.length > 0 && (
        <ul className="chips">
          {chats.map((chat) => (
            <Chip
              key={`${chat.bot_id} ${chat.chat_id}`}
              chat={chat}
              showsBot={botId === undefined}
              remove={() => choose(others(chat))}
            />
          ))}
        </ul>
      )}
      <ChatField
        {...field}
        botId={botId}
        chatId={undefined}
        choose={(chat, bot) => chat && bot && add({ bot_id: Number(bot), chat_id: Number(chat) })}
      />
    </>
  );
}

type ChipProps = { chat: ChatOfBot; showsBot: boolean; remove: () => void };

function Chip({ chat: { bot_id, chat_id }, showsBot, remove }: ChipProps): ReactNode {
  const { access: words } = useWords();
  const name = useChatName(bot_id, chat_id);
  const botName = useBotName(showsBot ? String(bot_id) : undefined);
  return (
    <li className="chip">
      <bdi className="cut">{name}</bdi>
      {showsBot && <bdi className="muted cut">{botName}</bdi>}
      <button type="button" aria-label={words.without(showsBot ? `${name} · ${botName}` : name)} onClick={remove}>
        <Icon name="close" />
      </button>
    </li>
  );
}

type OfBotProps = Omit<ChatsProps, 'chats' | 'choose' | 'botId' | 'among'> & {
  bot_id: number;
  chats: readonly number[];
  choose: (chatIds: readonly number[]) => void;
};

/** Some chats of one bot. */
export function ChatsOfBot({ bot_id, chats, choose, ...field }: OfBotProps): ReactNode {
  return (
    <ChatsField
      {...field}
      botId={bot_id}
      chats={chats.map((chat_id) => ({ bot_id, chat_id }))}
      choose={(chosen) => choose(chosen.map(({ chat_id }) => chat_id))}
    />
  );
}

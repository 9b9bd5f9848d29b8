import type { ApiKeyResource } from '@flotilla/contract/api-keys.ts';
import type { ReactNode } from 'react';
import { useBotName } from '../../parts/bot-field.tsx';
import { ChatLink } from '../../parts/chat-link.tsx';
import { ChatName } from '../../parts/chat-name.tsx';
import { useMcpWords } from './mcp-words.ts';

type Chats = NonNullable<ApiKeyResource['mcp_chats']>;

/** The chats of a key in a few words: none, the only one, or how many. */
export function McpChatsShown({ chats }: { chats: Chats }): ReactNode {
  const words = useMcpWords();
  const [first] = chats;
  if (first === undefined) return <span className="muted">{words.noChats}</span>;
  if (chats.length > 1) return words.chatCount(chats.length);
  return <ChatName bot_id={first.bot_id} chat_id={first.chat_id} />;
}

/** All chats of a key, by bot; each opens in the inbox. */
export function McpChats({ chats }: { chats: Chats }): ReactNode {
  const words = useMcpWords();
  const bots = [...new Set(chats.map(({ bot_id: bot }) => bot))];
  if (bots.length === 0) return words.noChats;
  return bots.map((bot) => (
    <ChatsOfOneBot
      key={bot}
      bot_id={bot}
      chats={chats.flatMap((chat) => (chat.bot_id === bot ? [chat.chat_id] : []))}
    />
  ));
}

function ChatsOfOneBot({ bot_id, chats }: { bot_id: number; chats: readonly number[] }): ReactNode {
  const botName = useBotName(String(bot_id));
  // A line each, however long: what stands below must not move when the names come.
  return (
    <div className="chats-of-bot">
      <bdi className="muted cut" title={botName}>
        {botName}
      </bdi>
      <ul>
        {chats.map((chat) => (
          <li key={chat}>
            <ChatLink bot_id={bot_id} chat_id={chat} className="cut" />
          </li>
        ))}
      </ul>
    </div>
  );
}

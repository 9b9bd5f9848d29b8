import type { ReactNode } from 'react';
import { call } from '../../call.ts';
import { ChoiceField } from '../../parts/choice-field.tsx';
import { Icon } from '../../parts/icon.tsx';
import { type Finder, PickField } from '../../parts/pick-field.tsx';
import { useChatNames } from '../../parts/use-chat-names.ts';
import { type ProgramsWords, useProgramsWords } from './programs-words.ts';
import type { PickedChat } from './rights.ts';
import '../../parts/chips.css';

const SHOWN = 8;

type ChatsProps = {
  botId: number;
  chats: readonly PickedChat[] | null;
  choose: (chats: readonly PickedChat[] | null) => void;
  fault: string | undefined;
};

/** All chats, or some of them by name or id. */
export function ChatsField({ botId, chats, choose, fault }: ChatsProps): ReactNode {
  const words = useProgramsWords().rights;
  return (
    <ChoiceField
      label={words.chats}
      options={[
        ['all', words.allChats],
        ['some', words.someChats, words.someChatsHint],
      ]}
      value={chats === null ? 'all' : 'some'}
      choose={(chosen) => choose(chosen === 'all' ? null : [])}
    >
      {chats === null && fault && <p className="fault">{fault}</p>}
      {chats !== null && (
        <div className="within">
          <PickedChats label={words.addChat} hint={words.addChatHint} {...{ botId, chats, choose, fault }} />
        </div>
      )}
    </ChoiceField>
  );
}

type PickedProps = {
  botId: number;
  label: string;
  hint: string;
  chats: readonly PickedChat[];
  choose: (chats: readonly PickedChat[]) => void;
  fault: string | undefined;
};

/** Some chats, each of which can be taken away; another one is found by a part of its name, or by its id. */
export function PickedChats({ botId, label, hint, chats, choose, fault }: PickedProps): ReactNode {
  const words = useProgramsWords();
  const unnamed = chats.flatMap(({ id, name }) => (name === undefined ? [id] : []));
  const chatName = useChatNames(botId, unnamed);
  const named = chats.map(({ id, name = chatName(id) }) => ({ id, name }));
  return (
    <>
      {chats.length > 0 && (
        <ul className="chips">
          {named.map(({ id, name }) => (
            <li key={id} className="chip">
              <bdi className="cut">{name}</bdi>
              <button
                type="button"
                aria-label={words.rights.without(name)}
                onClick={() => choose(chats.filter((chat) => chat.id !== id))}
              >
                <Icon name="close" />
              </button>
            </li>
          ))}
        </ul>
      )}
      <PickField
        label={label}
        hint={hint}
        chosen=""
        finder={chatFinder(botId, words)}
        fault={fault}
        choose={(picked) =>
          picked && choose([...chats.filter(({ id }) => String(id) !== picked.id), pickedChat(picked)])
        }
      />
    </>
  );
}

function pickedChat({ id, name }: { id: string; name: string }): PickedChat {
  return { id: Number(id), name };
}

/** The chats that the bot knows; an id may also be of one that it has not met. */
function chatFinder(botId: number, { rights: words }: ProgramsWords): Finder {
  return {
    key: ['chats', 'picked', botId],
    async find(q, signal) {
      if (/^-?[1-9]\d{0,15}$/.test(q)) return [{ id: q, name: words.chat(q), note: words.byId }];
      const input = { bot_id: botId, order: 'recent', limit: SHOWN, ...(q === '' ? {} : { q }) } as const;
      const chats = await call('listChats', input, signal);
      return chats.map(({ id, title }) => ({
        id: String(id),
        name: title ?? words.chat(String(id)),
        note: String(id),
      }));
    },
  };
}

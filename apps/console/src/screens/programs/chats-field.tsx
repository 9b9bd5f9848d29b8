import type { ReactNode } from 'react';
import { ChatsOfBot } from '../../parts/chats-field.tsx';
import { ChoiceField } from '../../parts/choice-field.tsx';
import { useProgramsWords } from './programs-words.ts';

type ChatsProps = {
  bot_id: number;
  chats: readonly number[] | null;
  choose: (chats: readonly number[] | null) => void;
  fault: string | undefined;
};

/** All chats, or some of them by name or id. */
export function ChatsField({ bot_id, chats, choose, fault }: ChatsProps): ReactNode {
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
          <ChatsOfBot label={words.addChat} hint={words.addChatHint} {...{ bot_id, chats, choose, fault }} />
        </div>
      )}
    </ChoiceField>
  );
}

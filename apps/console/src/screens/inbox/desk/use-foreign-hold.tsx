import { type ReactNode, useState } from 'react';
import { Confirm } from '../../../parts/confirm.tsx';
import { useSession } from '../../../session.tsx';
import { useChat } from '../chat/use-chat.ts';
import type { ChatId } from '../chat/use-window.ts';
import { useHolder } from './desk-bar.tsx';
import { useDeskWords } from './desk-words.ts';

/** Asks once before an answer goes into a chat that another account has taken over. */
export function useForeignHold(chat: ChatId, send: () => void): { submit: () => void; question: ReactNode } {
  const words = useDeskWords();
  const { account } = useSession();
  const known = useChat(chat);
  const [isAsking, setAsking] = useState(false);
  /** The hold that somebody has chosen to write into. */
  const [accepted, setAccepted] = useState('');
  const { held_by: by = '', held_until: until } = known ?? {};
  const holder = useHolder(by);
  const isForeign = until !== undefined && by.startsWith('account:') && by !== `account:${account.username}`;
  const question = isAsking && (
    <Confirm
      title={words.foreignTitle}
      description={words.foreignHint(holder)}
      act={words.sendAnyway}
      close={() => setAsking(false)}
      run={() => {
        setAccepted(by);
        setAsking(false);
        send();
      }}
    />
  );
  return { submit: () => (isForeign && accepted !== by ? setAsking(true) : send()), question };
}

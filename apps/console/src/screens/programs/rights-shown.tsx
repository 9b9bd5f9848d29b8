import type { ProgramTokenResource } from '@flotilla/contract/program-tokens.ts';
import { Fragment, type ReactNode } from 'react';
import { ChatName } from '../../parts/chat-name.tsx';
import { useNumber } from '../../parts/time.tsx';
import { useProgramsWords } from './programs-words.ts';

const NAMED_CHATS = 5;

export function RightsShown({ token, bot_id }: { token: ProgramTokenResource; bot_id: number }): ReactNode {
  const { shown: words, rights, andMore } = useProgramsWords();
  const number = useNumber();
  const { methods, chats, threads, rate } = token;
  const named = (name: string) => rights.groupNames[name as keyof typeof rights.groupNames] ?? name;
  const more = (chats?.length ?? 0) - NAMED_CHATS;
  const limits = [
    ...(rate?.per_second === undefined ? [] : [words.rate.second(number(rate.per_second))]),
    ...(rate?.per_minute === undefined ? [] : [words.rate.minute(number(rate.per_minute))]),
  ];
  return (
    <ul className="rights">
      <li>{methods === undefined ? words.everything : words.only(methods.map(named).join(', '))}</li>
      <li>
        {chats === undefined ? (
          words.allChats
        ) : (
          <>
            {words.chats}{' '}
            {chats.slice(0, NAMED_CHATS).map((id, at) => (
              <Fragment key={id}>
                {at > 0 && ', '}
                <ChatName bot_id={bot_id} chat_id={id} />
              </Fragment>
            ))}
            {more > 0 && `, ${andMore(more)}`}
          </>
        )}
      </li>
      {threads !== undefined && <li>{words.threads(threads.join(', '))}</li>}
      <li>{limits.length === 0 ? words.rate.none : words.rate.some(limits.join(', '))}</li>
    </ul>
  );
}

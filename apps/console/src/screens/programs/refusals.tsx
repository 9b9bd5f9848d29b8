import type { ProgramRefusalResource } from '@flotilla/contract/program-refusals.ts';
import type { ProgramResource } from '@flotilla/contract/programs.ts';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { call } from '../../call.ts';
import { ChatName } from '../../parts/chat-name.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Ago } from '../../parts/time.tsx';
import { REFRESH_MS } from '../../queries.ts';
import { useProgramsWords } from './programs-words.ts';

export function Refusals({ program: { id, bot_id } }: { program: ProgramResource }): ReactNode {
  const words = useProgramsWords().refusals;
  const refusals = useQuery({
    queryKey: ['program-refusals', id],
    queryFn: ({ signal }) => call('listProgramRefusals', { id }, signal),
    refetchInterval: REFRESH_MS,
  });
  return (
    <section className="refusals" aria-labelledby="refusals">
      <h3 id="refusals">{words.title}</h3>
      {refusals.isError && <Failure error={refusals.error} retry={() => void refusals.refetch()} />}
      {refusals.data?.length === 0 && <p className="muted">{words.none}</p>}
      <ul>
        {refusals.data?.map((refusal) => (
          <Refusal
            key={`${refusal.token_id} ${refusal.method} ${refusal.description} ${refusal.chat_id}`}
            refusal={refusal}
            bot_id={bot_id}
          />
        ))}
      </ul>
    </section>
  );
}

type RefusalProps = { refusal: ProgramRefusalResource; bot_id: number };

function Refusal({ refusal, bot_id }: RefusalProps): ReactNode {
  const words = useProgramsWords().refusals;
  const { at, method, reason, description, chat_id: chat, token_id, token_name: token } = refusal;
  return (
    <li className="program-entry refusal" title={description}>
      <code>{method ?? words.unnamed[reason === 'file' ? 'file' : 'method']}</code>
      <span className="muted">
        <Ago at={at} />
      </span>
      <p>
        {words.reasons[reason]}
        {chat !== undefined && (
          <>
            : <ChatName bot_id={bot_id} chat_id={chat} />
          </>
        )}
        {token_id !== undefined && (
          <>
            {' · '}
            <span className="muted">{token === undefined ? words.revoked : <bdi>{token}</bdi>}</span>
          </>
        )}
      </p>
    </li>
  );
}

import type { ProgramRefusalResource } from '@flotilla/contract/program-refusals.ts';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { call } from '../../call.ts';
import { Failure } from '../../parts/failure.tsx';
import { Ago } from '../../parts/time.tsx';
import { REFRESH_MS } from '../../queries.ts';
import { useProgramsWords } from './programs-words.ts';

/** What the tokens of a program were refused lately, and why. */
export function Refusals({ programId }: { programId: number }): ReactNode {
  const words = useProgramsWords().refusals;
  const refusals = useQuery({
    queryKey: ['program-refusals', programId],
    queryFn: ({ signal }) => call('listProgramRefusals', { id: programId }, signal),
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
            key={`${refusal.token_id} ${refusal.method} ${refusal.reason} ${refusal.chat_id}`}
            refusal={refusal}
          />
        ))}
      </ul>
    </section>
  );
}

function Refusal({ refusal }: { refusal: ProgramRefusalResource }): ReactNode {
  const words = useProgramsWords().refusals;
  const { at, method, reason, description, chat_id: chat, token_name: token } = refusal;
  return (
    <li className="refusal" title={description}>
      <code>{method ?? words.unnamed[reason === 'file' ? 'file' : 'method']}</code>
      <span className="muted">
        <Ago at={at} />
      </span>
      <p>
        {words.reasons[reason]}
        {chat !== undefined && (
          <>
            : <bdi dir="ltr">{chat}</bdi>
          </>
        )}
        {' · '}
        <span className="muted">{token === undefined ? words.revoked : <bdi>{token}</bdi>}</span>
      </p>
    </li>
  );
}

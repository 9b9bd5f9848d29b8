import type { ProgramTokenResource } from '@flotilla/contract/program-tokens.ts';
import type { ProgramResource } from '@flotilla/contract/programs.ts';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { call } from '../../call.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Ago, Moment } from '../../parts/time.tsx';
import { REFRESH_MS } from '../../queries.ts';
import { NewToken } from './new-token.tsx';
import { useProgramsWords } from './programs-words.ts';
import { RightsShown } from './rights-shown.tsx';

/** The tokens of a program: what each may do, and when it was used; one can be made or revoked. */
export function Tokens({ program }: { program: ProgramResource }): ReactNode {
  const words = useProgramsWords().tokens;
  const [making, setMaking] = useState(false);
  const [revoked, setRevoked] = useState(0);
  const maker = useRef<HTMLButtonElement>(null);
  // The button that asked to revoke is gone, and the focus must not be lost with it.
  useEffect(() => {
    if (revoked > 0) maker.current?.focus();
  }, [revoked]);
  const tokens = useQuery({
    queryKey: ['program-tokens', program.id],
    queryFn: ({ signal }) => call('listProgramTokens', { program_id: program.id }, signal),
    refetchInterval: REFRESH_MS,
  });
  return (
    <section className="tokens" aria-labelledby="tokens">
      <header>
        <h3 id="tokens">{words.title}</h3>
        <Button ref={maker} onClick={() => setMaking(true)}>
          {words.make}
        </Button>
      </header>
      {tokens.isError && <Failure error={tokens.error} retry={() => void tokens.refetch()} />}
      <p role="status" className="hint">
        {revoked > 0 && words.revoked}
      </p>
      {tokens.data?.length === 0 && <p className="muted">{words.none}</p>}
      <ul>
        {tokens.data?.map((token) => (
          <TokenCard key={token.id} token={token} bot_id={program.bot_id} revoked={() => setRevoked(revoked + 1)} />
        ))}
      </ul>
      {making && <NewToken program={program} close={() => setMaking(false)} />}
    </section>
  );
}

type CardProps = { token: ProgramTokenResource; bot_id: number; revoked: () => void };

function TokenCard({ token, bot_id, revoked }: CardProps): ReactNode {
  const words = useProgramsWords().tokens;
  const [asking, setAsking] = useState(false);
  const { name, prefix, expires_at: expires, last_used_at: used, made_by: maker } = token;
  const isOver = expires !== undefined && Date.parse(expires) < Date.now();
  return (
    <li className="program-entry token">
      <p className="token-head">
        <strong className="cut">
          <bdi>{name}</bdi>
        </strong>
        <code className="muted">{prefix}…</code>
      </p>
      <RightsShown token={token} bot_id={bot_id} />
      <p className="muted">
        {used ? (
          <>
            {words.lastUse} <Ago at={used} />
          </>
        ) : (
          words.never
        )}
        {' · '}
        {words.madeBy} <Moment at={token.created_at} /> {words.by(maker)}
        {expires && (
          <>
            {' · '}
            <span className={isOver ? 'fault' : ''}>
              {isOver ? words.expired : words.expires} <Moment at={expires} />
            </span>
          </>
        )}
      </p>
      <Button kind="quiet" onClick={() => setAsking(true)} aria-label={words.revokeTitle(name).replace('?', '')}>
        {words.revoke}
      </Button>
      {asking && <Revoke token={token} close={() => setAsking(false)} revoked={revoked} />}
    </li>
  );
}

type RevokeProps = { token: ProgramTokenResource; close: () => void; revoked: () => void };

function Revoke({ token, close, revoked }: RevokeProps): ReactNode {
  const words = useProgramsWords().tokens;
  const queries = useQueryClient();
  const revoke = useMutation({
    mutationFn: () => call('deleteProgramToken', { id: token.id }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['program-tokens'] });
      close();
      revoked();
    },
  });
  return (
    <Confirm
      title={words.revokeTitle(token.name)}
      description={words.revokeHint}
      act={words.revokeAct}
      danger
      run={() => revoke.mutate()}
      close={close}
      busy={revoke.isPending}
      error={revoke.error}
    />
  );
}

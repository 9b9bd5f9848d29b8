import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Button } from '../../parts/button.tsx';
import { Failure } from '../../parts/failure.tsx';
import { StateMark } from '../../parts/state-badge.tsx';
import { useDeliveriesWords } from '../deliveries/deliveries-words.ts';
import { testBackend } from './backend-calls.ts';

/** Sends a test update to a backend as soon as its URL was saved, and says what came of it and what to try. */
export function BackendTrial({ botId, url }: { botId: number; url: string }): ReactNode {
  const { trial: words } = useDeliveriesWords();
  const trial = useQuery({
    queryKey: ['backend-trial', botId, url],
    queryFn: () => testBackend({ botId, programId: undefined }),
    staleTime: Number.POSITIVE_INFINITY,
    retry: 1,
  });
  return (
    <div className="backend-trial" role="status">
      {trial.isFetching && <p className="muted">{words.trying}</p>}
      {trial.isError && !trial.isFetching && <Failure error={trial.error} />}
      {trial.data && !trial.isFetching && trial.data.error === undefined && (
        <p className="state ok">
          <StateMark state="ok" />
          {words.took}
        </p>
      )}
      {trial.data && !trial.isFetching && trial.data.error !== undefined && (
        <BackendRefusal status={trial.data.status} error={trial.data.error} />
      )}
      {!trial.isFetching && (
        <Button kind="quiet" onClick={() => void trial.refetch()}>
          {words.again}
        </Button>
      )}
    </div>
  );
}

/** Why a backend did not take an update, in words, and what to try. */
export function BackendRefusal({ status, error }: { status: number; error: string }): ReactNode {
  const { trial: words } = useDeliveriesWords();
  return (
    <div className="notice bad">
      <p>
        <strong>{words.refused}</strong> <bdi>{error}</bdi>
      </p>
      <p>{words.advice[adviceFor(status, error)]}</p>
    </div>
  );
}

type Advice = keyof ReturnType<typeof useDeliveriesWords>['trial']['advice'];

/** By the status of the answer; without one, by the words of the error. */
function adviceFor(status: number, error: string): Advice {
  if (status === 0) {
    if (/certificate|TLS|SSL|self.signed/i.test(error)) return 'certificate';
    if (/ENOTFOUND|EAI_AGAIN|not found/i.test(error)) return 'name';
    if (/not allowed|forbidden|private/i.test(error)) return 'forbidden';
    return /time/i.test(error) ? 'slow' : 'nobody';
  }
  if (status === 404 || status === 410) return 'path';
  if (status === 401 || status === 403) return 'secret';
  if (status === 405) return 'method';
  if (status >= 300 && status < 400) return 'redirect';
  return status >= 500 ? 'program' : 'other';
}

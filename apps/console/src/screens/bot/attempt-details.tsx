import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { type Answer, call } from '../../call.ts';
import { Button } from '../../parts/button.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { curlOf } from '../../parts/curl.ts';
import { Failure } from '../../parts/failure.tsx';
import { Inspector } from '../../parts/inspector.tsx';
import { When } from '../../parts/time.tsx';
import { useWords } from '../../words/words.tsx';
import { useDeliveriesWords } from '../deliveries/deliveries-words.ts';
import { type BackendOf, testBackend } from './backend-calls.ts';
import { AnswerView, RequestView, UpdateView } from './request-view.tsx';
import { TestDelivery, TestResult } from './test-delivery.tsx';

type Attempt = Answer<'listDeliveryAttempts'>[number];

/** The request of an attempt, its answer, and what can be done with it. */
export function AttemptDetails({
  botId,
  attempt,
  close,
}: {
  botId: number;
  attempt: Attempt;
  close: () => void;
}): ReactNode {
  const words = useWords();
  const deliveriesWords = useDeliveriesWords();
  const { update_id, request } = attempt;
  const body = useKeptUpdate(botId, update_id);
  return (
    <Inspector title={words.bot.attempt(String(update_id))} close={close}>
      <p className="muted">
        <When at={attempt.at} />
      </p>
      <p>
        <Link to="/bots/$id/updates/$update" params={{ id: String(botId), update: String(update_id) }}>
          {words.bot.toUpdate}
        </Link>
      </p>
      <div className="actions">
        {request && <CopyButton label={deliveriesWords.copyCurl} text={curlOf(request, body ?? null)} />}
        <Repeat botId={botId} programId={attempt.program_id} update_id={update_id} body={body} />
      </div>
      <AnswerView
        status={attempt.status}
        duration_ms={attempt.duration_ms}
        type={attempt.response_content_type}
        excerpt={attempt.response_excerpt}
        error={attempt.error ?? attempt.call_error}
      />
      {request ? (
        <RequestView request={request} body={body} />
      ) : (
        <>
          <p className="muted">{deliveriesWords.settingsChanged}</p>
          <UpdateView text={body} />
        </>
      )}
    </Inspector>
  );
}

/** The JSON text of an update; undefined while it is loaded, null if it is not kept any more. */
export function useKeptUpdate(bot_id: number, update_id: number): string | null | undefined {
  const kept = useQuery({
    queryKey: ['update', bot_id, update_id],
    queryFn: ({ signal }) => call('showDeliveredUpdate', { bot_id, update_id }, signal),
    // A request that was shown once stays, also if a later attempt delivers it.
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (kept.isError) return null;
  return kept.data && (kept.data.payload ?? null);
}

/** A failed delivery is sent again as a delivery; any other update as a test, beside its own retries. */
function Repeat({
  botId,
  programId,
  update_id,
  body,
}: BackendOf & { update_id: number; body: string | null | undefined }): ReactNode {
  const words = useDeliveriesWords();
  const queries = useQueryClient();
  const [editing, setEditing] = useState(false);
  const letters = useQuery({
    queryKey: ['deliveries', 'letter', botId, programId, update_id],
    queryFn: ({ signal }) => {
      const reader = programId === undefined ? ({ reader: 'push' } as const) : { program_id: programId };
      return call('listDeliveries', { bot_id: botId, state: 'dead', ...reader, q: String(update_id) }, signal);
    },
  });
  const letter = letters.data?.find((row) => row.update_id === update_id)?.id;
  const redrive = useMutation({
    mutationFn: (id: number) => call('redriveDeliveries', { bot_id: botId, ids: [id] }),
    onSettled: () => queries.invalidateQueries(),
  });
  const test = useMutation({
    mutationFn: (update: string) => testBackend({ botId, programId }, update),
  });
  if (redrive.isSuccess) return <p role="status">{words.sentAgain}</p>;
  const error = redrive.error ?? test.error;
  return (
    <>
      {letter !== undefined && (
        <Button kind="primary" busy={redrive.isPending} onClick={() => redrive.mutate(letter)}>
          {words.sendAgain}
        </Button>
      )}
      {letter === undefined && letters.data && body && (
        <Button busy={test.isPending} onClick={() => test.mutate(body)}>
          {words.sendAsTest}
        </Button>
      )}
      {body && <Button onClick={() => setEditing(true)}>{words.edit}</Button>}
      {error && <Failure error={error} />}
      {test.data && <TestResult result={test.data} />}
      {editing && (
        <TestDelivery botId={botId} programId={programId} update={body ?? ''} close={() => setEditing(false)} />
      )}
    </>
  );
}

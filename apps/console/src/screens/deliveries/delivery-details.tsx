import type { DeliveryResource } from '@flotilla/contract/deliveries.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Button } from '../../parts/button.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Inspector } from '../../parts/inspector.tsx';
import { Ago, Clock } from '../../parts/time.tsx';
import { useKeptUpdate } from '../bot/attempt-details.tsx';
import { type BackendOf, resumeBackend } from '../bot/backend-calls.ts';
import { UpdateView } from '../bot/request-view.tsx';
import { type Act, BotName } from './act-on-letters.tsx';
import { useDeliveriesWords } from './deliveries-words.ts';

type DetailsProps = { delivery: DeliveryResource; close: () => void; act: (name: Act, id: number) => void };

/** Why an update did not reach its reader, its last answer, and the update itself. */
export function DeliveryDetails({ delivery, close, act }: DetailsProps): ReactNode {
  const words = useDeliveriesWords();
  const { id, bot_id: botId, payload } = delivery;
  return (
    <Inspector title={words.details(String(delivery.update_id))} close={close}>
      <p>{words.reasonHints[delivery.reason_code]}</p>
      <div className="actions">
        {id !== undefined && (
          <>
            {delivery.reader !== 'history' && (
              <Button kind="primary" onClick={() => act('redrive', id)}>
                {words.sendAgain}
              </Button>
            )}
            <Button onClick={() => act('discard', id)}>{words.discard}</Button>
          </>
        )}
        {delivery.state === 'retrying' && ['push', 'program'].includes(delivery.reader) && (
          <TryNow botId={botId} programId={delivery.program_id} />
        )}
      </div>
      <DeliveryFacts delivery={delivery} />
      {delivery.response_excerpt && <pre className="excerpt">{delivery.response_excerpt}</pre>}
      {payload === undefined ? (
        <KeptUpdate botId={botId} updateId={delivery.update_id} />
      ) : (
        <UpdateView text={payload} />
      )}
    </Inspector>
  );
}

function KeptUpdate({ botId, updateId }: { botId: number; updateId: number }): ReactNode {
  return <UpdateView text={useKeptUpdate(botId, updateId)} />;
}

function DeliveryFacts({ delivery }: { delivery: DeliveryResource }): ReactNode {
  const words = useDeliveriesWords();
  const { facts } = words;
  const moment = (name: string, at: string | undefined): [string, ReactNode][] =>
    at === undefined
      ? []
      : [
          [
            name,
            <span key={name}>
              <Clock at={at} />, <Ago at={at} />
            </span>,
          ],
        ];
  const { destinations = [] } = delivery;
  return (
    <Facts
      rows={[
        [
          facts.bot,
          <Link key="bot" to="/bots/$id" params={{ id: String(delivery.bot_id) }}>
            <BotName id={delivery.bot_id} />
          </Link>,
        ],
        [facts.reader, words.readers[delivery.reader]],
        [facts.reason, words.reasons[delivery.reason_code]],
        [facts.error, delivery.last_error],
        ...(delivery.last_status === undefined ? [] : [[facts.status, delivery.last_status] as const]),
        [facts.attempts, delivery.attempts],
        ...moment(facts.first, delivery.first_failed_at),
        ...moment(facts.last, delivery.last_failed_at),
        ...moment(facts.next, delivery.state === 'retrying' ? delivery.next_attempt_at : undefined),
        ...moment(facts.expires, delivery.expires_at),
        ...moment(facts.died, delivery.dead_at),
        ...(destinations.length === 0
          ? []
          : [[facts.destinations, destinations.map(({ name, error }) => `${name}: ${error}`).join('; ')] as const]),
      ]}
    />
  );
}

/** Tries the backend at once, and with it this update. */
function TryNow({ botId, programId }: BackendOf): ReactNode {
  const words = useDeliveriesWords();
  const queries = useQueryClient();
  const resume = useMutation({
    mutationFn: () => resumeBackend({ botId, programId }),
    onSettled: () => queries.invalidateQueries(),
  });
  return (
    <>
      <Button busy={resume.isPending} onClick={() => resume.mutate()}>
        {words.tryNow}
      </Button>
      {resume.isError && <Failure error={resume.error} />}
    </>
  );
}

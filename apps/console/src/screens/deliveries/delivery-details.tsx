import type { DeliveryResource } from '@flotilla/contract/deliveries.ts';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { BotLink } from '../../parts/bot-name.tsx';
import { Button } from '../../parts/button.tsx';
import { ChatLink } from '../../parts/chat-link.tsx';
import { CopyButton } from '../../parts/copy-button.tsx';
import { curlOf } from '../../parts/curl.ts';
import { Facts } from '../../parts/facts.tsx';
import { Inspector } from '../../parts/inspector.tsx';
import { When } from '../../parts/time.tsx';
import { Told } from '../../parts/told.tsx';
import { useWords } from '../../words/words.tsx';
import { useKeptUpdate } from '../bot/attempt-details.tsx';
import { AttemptOutcome } from '../bot/attempt-outcome.tsx';
import { AnswerView, RequestView, UpdateView } from '../bot/request-view.tsx';
import type { Attempt } from '../bot/see-attempt.ts';
import type { Act } from './act-on-letters.tsx';
import { useDeliveriesWords } from './deliveries-words.ts';
import { useDeliveryRequest } from './use-delivery-request.ts';

type DetailsProps = {
  delivery: DeliveryResource;
  close: () => void;
  act: (name: Act, id: number) => void;
  tryNow: () => void;
  skip: () => void;
  /** The attempt that somebody has asked for here. */
  trial: Attempt | 'pending' | null | undefined;
};

/** Why an update did not reach its reader: the request and its answer, the update, and what can be done with it. */
export function DeliveryDetails(props: DetailsProps): ReactNode {
  const { payload } = props.delivery;
  return payload === undefined ? <DetailsOfKept {...props} /> : <Details {...props} body={payload} />;
}

/** The update of a retried one is where its readers have it. */
function DetailsOfKept(props: DetailsProps): ReactNode {
  const { bot_id, update_id } = props.delivery;
  return <Details {...props} body={useKeptUpdate(bot_id, update_id)} />;
}

function Details(props: DetailsProps & { body: string | null | undefined }): ReactNode {
  const { delivery, close, act, tryNow, skip, trial, body } = props;
  const words = useDeliveriesWords();
  const { bot } = useWords();
  const { id, bot_id } = delivery;
  const { attempt, request, isMadeAnew } = useDeliveryRequest(delivery);
  return (
    <Inspector title={words.details(String(delivery.update_id))} close={close}>
      <p>{words.reasonHints[delivery.reason_code]}</p>
      <p>
        <Link to="/bots/$id/updates/$update" params={{ id: String(bot_id), update: String(delivery.update_id) }}>
          {bot.toUpdate}
        </Link>
      </p>
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
        {delivery.state === 'retrying' && (
          <>
            <Button kind="primary" busy={trial === 'pending'} onClick={tryNow}>
              {trial === 'pending' ? words.trying : words.tryNow}
            </Button>
            <Button onClick={skip}>{words.skip.open}</Button>
            {trial !== undefined && trial !== 'pending' && <AttemptOutcome attempt={trial} />}
          </>
        )}
        {request && <CopyButton label={words.copyCurl} text={curlOf(request, body ?? null)} />}
      </div>
      <DeliveryFacts delivery={delivery} />
      <DeliveryAnswer delivery={delivery} attempt={attempt} />
      {isMadeAnew && <p className="muted">{words.madeAnew}</p>}
      {request ? <RequestView request={request} body={body} /> : <UpdateView text={body} />}
    </Inspector>
  );
}

type AnswerProps = { delivery: DeliveryResource; attempt: ReturnType<typeof useDeliveryRequest>['attempt'] };

/** The answer of the backend, of the attempt while that is kept. Whatever was never sent has none. */
function DeliveryAnswer({ delivery, attempt }: AnswerProps): ReactNode {
  const { last_status: status, last_error: error, response_excerpt: excerpt } = delivery;
  if (attempt === undefined && status === undefined && excerpt === undefined) return null;
  return (
    <AnswerView
      status={attempt?.status ?? status ?? 0}
      {...(attempt && { duration_ms: attempt.duration_ms })}
      type={attempt?.response_content_type}
      excerpt={attempt?.response_excerpt ?? excerpt}
      error={attempt?.error ?? error}
    />
  );
}

function DeliveryFacts({ delivery }: { delivery: DeliveryResource }): ReactNode {
  const words = useDeliveriesWords();
  const { facts } = words;
  const moment = (name: string, at: string | undefined): [string, ReactNode][] =>
    at === undefined ? [] : [[name, <When key={name} at={at} />]];
  const { destinations = [] } = delivery;
  return (
    <Facts
      rows={[
        [facts.bot, <BotLink key="bot" id={delivery.bot_id} />],
        [facts.reader, delivery.program_name ?? words.readers[delivery.reader]],
        [facts.reason, words.reasons[delivery.reason_code]],
        [facts.error, <Told key="error" text={delivery.last_error} />],
        ...(delivery.last_status === undefined ? [] : [[facts.status, delivery.last_status] as const]),
        [facts.attempts, delivery.attempts],
        ...(delivery.chat_id === undefined
          ? []
          : [[facts.chat, <ChatLink key="chat" bot_id={delivery.bot_id} chat_id={delivery.chat_id} />] as const]),
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

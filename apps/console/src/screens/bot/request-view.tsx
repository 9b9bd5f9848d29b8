import { type ReactNode, useMemo } from 'react';
import type { Answer } from '../../call.ts';
import { parsedOrUndefined } from '../../parts/json-text.ts';
import { JsonView } from '../../parts/json-view.tsx';
import { StateMark } from '../../parts/state-badge.tsx';
import { useNumber } from '../../parts/time.tsx';
import { Told } from '../../parts/told.tsx';
import { useDeliveriesWords } from '../deliveries/deliveries-words.ts';
import './request.css';

type Request = Pick<Answer<'testDelivery'>['request'], 'method' | 'url' | 'headers'>;

/** A request to a backend: its secrets are masked by the api. `body` is undefined while it is loaded, null if it is gone. */
export function RequestView({ request, body }: { request: Request; body: string | null | undefined }): ReactNode {
  const words = useDeliveriesWords();
  return (
    <section className="exchange" aria-label={words.request}>
      <h3>{words.request}</h3>
      <p className="request-line">
        <b>{request.method}</b> <code>{request.url}</code>
      </p>
      <details>
        <summary>{words.headers}</summary>
        <dl className="headers">
          {Object.entries(request.headers).map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      </details>
      <UpdateView text={body} />
    </section>
  );
}

/** The JSON of an update. */
export function UpdateView({ text }: { text: string | null | undefined }): ReactNode {
  const words = useDeliveriesWords();
  const value = useMemo(() => parsedOrUndefined(text), [text]);
  if (text === undefined) return null;
  if (text === null) return <p className="muted">{words.noBody}</p>;
  return (
    <details open>
      <summary>{words.body}</summary>
      {value === undefined ? <pre className="excerpt">{text}</pre> : <JsonView value={value} />}
    </details>
  );
}

type AnswerProps = {
  status: number;
  duration_ms?: number;
  type: string | undefined;
  excerpt: string | undefined;
  error: string | undefined;
};

/** The answer of the backend, if it is kept. */
export function AnswerView({ status, duration_ms, type, excerpt, error }: AnswerProps): ReactNode {
  const words = useDeliveriesWords();
  const number = useNumber();
  return (
    <section className="exchange" aria-label={words.answer}>
      <h3>{words.answer}</h3>
      <p className="answer-line">
        <StateMark state={error === undefined ? 'ok' : 'open'} />
        <b>{status === 0 ? words.noAnswer : status}</b>
        {duration_ms !== undefined && <span className="muted">{words.duration(number(duration_ms))}</span>}
        {type && <span className="muted cut">{type}</span>}
      </p>
      {error !== undefined && (
        <p className="fault">
          <Told text={error} />
        </p>
      )}
      {excerpt ? <pre className="excerpt">{excerpt}</pre> : <p className="muted">{words.emptyAnswer}</p>}
    </section>
  );
}

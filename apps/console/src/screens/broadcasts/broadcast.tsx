import type { BroadcastCounts, ShownBroadcast } from '@flotilla/contract/broadcasts.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { CallError, call } from '../../call.ts';
import { BotLink } from '../../parts/bot-name.tsx';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Icon } from '../../parts/icon.tsx';
import { NotFound } from '../../parts/not-found.tsx';
import { platformRefusalOf } from '../../parts/platform-refusal.ts';
import { Moment, Until, useNumber } from '../../parts/time.tsx';
import { useTitle } from '../../parts/use-title.ts';
import { mayBroadcast, useSession } from '../../session.tsx';
import { useWords } from '../../words/words.tsx';
import { AudienceShown } from './audience-shown.tsx';
import { BroadcastBadge, BroadcastProgress } from './broadcast-progress.tsx';
import { useBroadcastsWords } from './broadcasts-words.ts';
import { MessagePreview } from './message-preview.tsx';
import { BROADCASTS, useBroadcast, useBroadcastsLive } from './use-broadcasts.ts';
import './broadcasts.css';

const route = getRouteApi('/broadcasts/$broadcast');

/** One broadcast: how far it is, why chats did not get it, and what it says. */
export function OneBroadcast(): ReactNode {
  const words = useBroadcastsWords();
  const { broadcast: id } = route.useParams();
  const { data, error, refetch } = useBroadcast(id);
  useTitle(data?.name ?? words.title);
  useBroadcastsLive(data === undefined ? [] : [data.bot_id]);
  if (data === undefined && error instanceof CallError && [400, 403, 404].includes(error.status)) {
    return <NotFound title={words.gone} hint="" />;
  }
  return (
    <div className="broadcasts">
      <Link to="/broadcasts" className="back">
        <Icon name="back" />
        {words.toList}
      </Link>
      {error && <Failure error={error} retry={() => void refetch()} />}
      {data && <Shown broadcast={data} />}
    </div>
  );
}

function Shown({ broadcast }: { broadcast: ShownBroadcast }): ReactNode {
  const words = useBroadcastsWords();
  const { account } = useSession();
  const { name, state, failures } = broadcast;
  return (
    <>
      <header className="broadcasts-head">
        <h1>
          <bdi>{name}</bdi>
        </h1>
        <BroadcastBadge state={state} />
        {mayBroadcast(account) && <Acts broadcast={broadcast} />}
      </header>
      <section className="panel broadcast-state" aria-label={words.counts.label}>
        <BroadcastProgress broadcast={broadcast} />
        <Remaining broadcast={broadcast} />
        <Counts broadcast={broadcast} />
      </section>
      {failures.length > 0 && <Failures broadcast={broadcast} />}
      <div className="broadcast-halves">
        <section className="panel" aria-labelledby="broadcast-message">
          <h2 id="broadcast-message">{words.message}</h2>
          <MessagePreview bot_id={broadcast.bot_id} method={broadcast.method} params={broadcast.params} />
        </section>
        <section className="panel" aria-labelledby="broadcast-settings">
          <h2 id="broadcast-settings">{words.settings}</h2>
          <Settings broadcast={broadcast} />
        </section>
      </div>
    </>
  );
}

const OPEN = ['scheduled', 'running', 'paused'];

function Acts({ broadcast: { id, state, counts, started_at: began } }: { broadcast: ShownBroadcast }): ReactNode {
  const words = useBroadcastsWords();
  const queries = useQueryClient();
  const [ends, setEnds] = useState(false);
  const settled = {
    onSuccess: () => setEnds(false),
    onSettled: () => queries.invalidateQueries({ queryKey: [BROADCASTS] }),
  };
  const pause = useMutation({ mutationFn: () => call('pauseBroadcast', { id }), ...settled });
  const resume = useMutation({ mutationFn: () => call('resumeBroadcast', { id }), ...settled });
  const cancel = useMutation({ mutationFn: () => call('cancelBroadcast', { id }), ...settled });
  const error = pause.error ?? resume.error;
  if (!OPEN.includes(state)) return null;
  return (
    <span className="head-actions">
      {state === 'paused' ? (
        <Button kind="primary" busy={resume.isPending} onClick={() => resume.mutate()}>
          {words.resume}
        </Button>
      ) : (
        <Button busy={pause.isPending} onClick={() => pause.mutate()}>
          {words.pause}
        </Button>
      )}
      {began === undefined && (
        <Link to="/broadcasts/add" search={{ edit: String(id) }} className="button">
          {words.edit}
        </Link>
      )}
      <Button onClick={() => setEnds(true)}>{words.cancel}</Button>
      {error && <Failure error={error} />}
      {ends && (
        <Confirm
          title={words.cancelTitle}
          description={words.cancelHint(counts.queued)}
          act={words.cancelAct}
          danger
          run={cancel.mutate}
          close={() => setEnds(false)}
          busy={cancel.isPending}
          error={cancel.error}
        />
      )}
    </span>
  );
}

/** How long the rest takes, if it goes on as fast as so far. */
function Remaining({ broadcast: { state, counts, started_at: began } }: { broadcast: ShownBroadcast }): ReactNode {
  const words = useBroadcastsWords();
  const { total, queued } = counts;
  if (state === 'running' && total === 0) return <p className="muted">{words.making}</p>;
  if (state !== 'running' || began === undefined || queued === 0 || queued === total) return null;
  const restMs = ((Date.now() - Date.parse(began)) / (total - queued)) * queued;
  return (
    <p className="muted">
      {words.left} <Until at={new Date(Date.now() + restMs).toISOString()} />
    </p>
  );
}

const COUNTS = [
  'total',
  'queued',
  'sent',
  'failed',
  'blocked',
  'in_doubt',
  'cancelled',
] as const satisfies readonly (keyof BroadcastCounts)[];
/** Counts whose entries are of one state. */
const LOOK_OF = { failed: 'alarming', in_doubt: 'doubtful' } as const;
const STATE_OF = { sent: 'sent', failed: 'failed', in_doubt: 'in_doubt', cancelled: 'cancelled' } as const;

function Counts({ broadcast: { id, bot_id, counts } }: { broadcast: ShownBroadcast }): ReactNode {
  const words = useBroadcastsWords();
  const number = useNumber();
  const figureOf = (name: keyof BroadcastCounts) => {
    const state = STATE_OF[name as keyof typeof STATE_OF];
    const look = counts[name] === 0 ? undefined : LOOK_OF[name as keyof typeof LOOK_OF];
    const value = number(counts[name]);
    return (
      <dd className={look}>
        {state === undefined || counts[name] === 0 ? (
          value
        ) : (
          <Link to="/bots/$id/outbox" params={{ id: String(bot_id) }} search={{ broadcast: String(id), state }}>
            {value}
          </Link>
        )}
      </dd>
    );
  };
  return (
    <div className="figures">
      <dl>
        {COUNTS.map((name) => (
          <div key={name}>
            <dt>{words.counts[name]}</dt>
            {figureOf(name)}
          </div>
        ))}
      </dl>
      <Link to="/bots/$id/outbox" params={{ id: String(bot_id) }} search={{ broadcast: String(id) }}>
        {words.toEntries}
      </Link>
    </div>
  );
}

function Failures({ broadcast: { id, bot_id, failures } }: { broadcast: ShownBroadcast }): ReactNode {
  const words = useBroadcastsWords();
  const common = useWords();
  const number = useNumber();
  const { account } = useSession();
  const may = mayBroadcast(account);
  const again = { bot: String(bot_id), failures: String(id) };
  return (
    <section className="panel" aria-labelledby="broadcast-failures">
      <h2 id="broadcast-failures">{words.failures}</h2>
      <table className="failures">
        <thead>
          <tr>
            <th scope="col">{words.reason}</th>
            <th scope="col">{words.counts.total}</th>
          </tr>
        </thead>
        <tbody>
          {failures.map(({ state, error, error_code: code, count }) => (
            <tr key={`${state} ${code} ${error}`}>
              <td>
                {platformRefusalOf(error, common)}{' '}
                <bdi className="muted">{`${code ?? ''} ${error || words.noReason}`}</bdi>
              </td>
              <td>
                {may && state !== 'in_doubt' ? (
                  <Link to="/broadcasts/add" search={{ ...again, ...(error === '' ? {} : { error }) }}>
                    {number(count)}
                    <span className="unseen"> {words.again}</span>
                  </Link>
                ) : (
                  number(count)
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {may && (
        <p className="actions">
          <Link to="/broadcasts/add" search={again} className="button">
            {words.again}
          </Link>
          <a href={`/api/broadcasts/failures?id=${id}&format=csv`} className="button" download>
            {words.exportFailures}
          </a>
        </p>
      )}
      <p className="hint">{words.failuresGone}</p>
    </section>
  );
}

function Settings({ broadcast }: { broadcast: ShownBroadcast }): ReactNode {
  const { facts } = useBroadcastsWords();
  const words = useBroadcastsWords();
  const moment = (name: string, at: string | undefined): [string, ReactNode][] =>
    at === undefined ? [] : [[name, <Moment key={name} at={at} />]];
  return (
    <Facts
      rows={[
        [facts.bot, <BotLink key="bot" id={broadcast.bot_id} />],
        [facts.audience, <AudienceShown key="audience" audience={broadcast.audience} />],
        [facts.method, broadcast.method],
        [facts.pace, broadcast.per_second ?? words.facts.paceOfBot],
        [facts.by, <bdi key="by">{broadcast.created_by}</bdi>],
        ...moment(facts.created, broadcast.created_at),
        ...moment(facts.sendAt, broadcast.send_at),
        ...moment(facts.started, broadcast.started_at),
        ...moment(facts.ended, broadcast.ended_at),
      ]}
    />
  );
}

import type { OutboxEntryResource as Entry } from '@flotilla/contract/outbox.ts';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { CallError, call } from '../../call.ts';
import { BotLink } from '../../parts/bot-name.tsx';
import { Button } from '../../parts/button.tsx';
import { ChatLink } from '../../parts/chat-link.tsx';
import { titleOf } from '../../parts/chat-name.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Inspector } from '../../parts/inspector.tsx';
import { JsonView } from '../../parts/json-view.tsx';
import { Moment, Until } from '../../parts/time.tsx';
import { REFRESH_MS } from '../../queries.ts';
import { useSession } from '../../session.tsx';
import { type Act, ASKED } from './act-on-entries.tsx';
import { ChatAround } from './chat-around.tsx';
import { CANCELLABLE, EntryState, RELEASABLE, RESENDABLE } from './entry-state.tsx';
import { BroadcastLink } from './links.tsx';
import { useOutboxWords } from './outbox-words.ts';
import { OUTBOX } from './use-outbox.ts';

/** The entry that the address names, beside the list. */
export function OpenEntry(): ReactNode {
  const words = useOutboxWords();
  const navigate = useNavigate();
  const { id: ofBot, entry: id = '' } = useParams({ strict: false });
  const entry = useQuery({
    queryKey: [OUTBOX, 'entry', id],
    queryFn: ({ signal }) => call('showOutboxEntry', { id }, signal),
    refetchInterval: REFRESH_MS,
  });
  const close = () =>
    void (ofBot === undefined
      ? navigate({ to: '/outbox', search: true, resetScroll: false })
      : navigate({ to: '/bots/$id/outbox', params: { id: ofBot }, search: true, resetScroll: false }));
  const isGone = entry.error instanceof CallError && [400, 403, 404].includes(entry.error.status);
  // An address may name an entry of another bot.
  const isOther = entry.data !== undefined && ofBot !== undefined && String(entry.data.bot_id) !== ofBot;
  return (
    <Inspector title={words.details.title(id)} close={close}>
      {isGone || isOther ? <p>{words.details.gone}</p> : entry.isError && <Failure error={entry.error} />}
      {entry.data && !isOther && <EntryDetails entry={entry.data} />}
    </Inspector>
  );
}

function EntryDetails({ entry }: { entry: Entry }): ReactNode {
  const words = useOutboxWords();
  const [asked, setAsked] = useState<Act | null>(null);
  const [said, setSaid] = useState('');
  const isAdmin = useSession().account.role === 'admin';
  const Asked = asked && ASKED[asked];
  const end = (sentence: string) => {
    setAsked(null);
    setSaid(sentence);
  };
  const { state, params, result } = entry;
  return (
    <>
      <p className="entry-now">
        <EntryState entry={entry} />
      </p>
      <p className="muted">{words.stateHints[state]}</p>
      <div className="actions">
        {CANCELLABLE.includes(state) && <Button onClick={() => setAsked('cancel')}>{words.cancel.one}</Button>}
        {isAdmin && RELEASABLE.includes(state) && (
          <Button kind="primary" onClick={() => setAsked('release')}>
            {words.release.one}
          </Button>
        )}
        {RESENDABLE.includes(state) && (
          <Button kind={state === 'in_doubt' ? 'plain' : 'primary'} onClick={() => setAsked('resend')}>
            {words.resend.one}
          </Button>
        )}
        <span role="status" className="muted">
          {said}
        </span>
      </div>
      <EntryFacts entry={entry} />
      {state === 'in_doubt' && <ChatAround entry={entry} />}
      <h3>{words.details.params}</h3>
      <JsonView value={params} />
      {state === 'sent' && <h3>{words.details.result}</h3>}
      {state === 'sent' && (result === undefined ? <p>{words.details.noResult}</p> : <JsonView value={result} />)}
      {Asked && <Asked chosen={{ entries: [entry] }} close={() => setAsked(null)} done={end} />}
    </>
  );
}

/** The author leads to all that it added: of one that lost its right, much may be held. */
function AuthorLink({ entry: { created_by: name } }: { entry: Entry }): ReactNode {
  const { filters } = useOutboxWords();
  const { id } = useParams({ strict: false });
  const looks = { search: { by: name }, title: filters.allBy };
  return id === undefined ? (
    <Link to="/outbox" {...looks}>
      <bdi>{name}</bdi>
    </Link>
  ) : (
    <Link to="/bots/$id/outbox" params={{ id }} {...looks}>
      <bdi>{name}</bdi>
    </Link>
  );
}

function EntryFacts({ entry }: { entry: Entry }): ReactNode {
  const words = useOutboxWords();
  const { details } = words;
  const { bot_id, chat_id, message_id } = entry;
  const moment = (name: string, at: string | undefined): [string, ReactNode][] =>
    at === undefined ? [] : [[name, <Moment key={name} at={at} />]];
  const given = (name: string, value: ReactNode): [string, ReactNode][] =>
    value === undefined || value === '' ? [] : [[name, value]];
  return (
    <Facts
      rows={[
        [details.bot, <BotLink key="bot" id={bot_id} />],
        [
          details.chat,
          <ChatLink key="chat" bot_id={bot_id} chat_id={chat_id} className="cut">
            <bdi>{titleOf({ id: chat_id, title: entry.chat_title })}</bdi>
          </ChatLink>,
        ],
        ...given(
          words.columns.what,
          message_id && (
            <ChatLink bot_id={bot_id} chat_id={chat_id} around={message_id}>
              {details.toMessage}
            </ChatLink>
          ),
        ),
        [details.method, entry.method],
        [details.priority, words.priorities[entry.priority]],
        ...moment(details.added, entry.created_at),
        ...given(details.by, entry.created_by && <AuthorLink entry={entry} />),
        ...moment(details.sendAt, entry.send_at),
        ...moment(details.expires, entry.expires_at),
        [details.attempts, entry.attempts],
        ...given(details.next, entry.next_attempt_at && <Until at={entry.next_attempt_at} />),
        ...given(details.error, entry.error && <bdi>{`${entry.error_code ?? ''} ${entry.error}`}</bdi>),
        ...moment(details.settled, entry.settled_at),
        ...given(details.key, entry.idempotency_key && <bdi>{entry.idempotency_key}</bdi>),
        ...given(details.request, entry.request_id && <code>{entry.request_id}</code>),
        ...given(details.broadcast, entry.broadcast_id && <BroadcastLink id={entry.broadcast_id} />),
      ]}
    />
  );
}

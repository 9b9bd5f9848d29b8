import type { AuditEntryResource } from '@flotilla/contract/audit.ts';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { call } from '../../call.ts';
import { BotLink } from '../../parts/bot-name.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Inspector } from '../../parts/inspector.tsx';
import { Ago, Moment } from '../../parts/time.tsx';
import { useSession } from '../../session.tsx';
import { useWords } from '../../words/words.tsx';
import { Actor } from './actor.tsx';
import { type ChangeInWords, useDetails } from './details.tsx';
import './entry-details.css';

const MOST_KEYS = 100;

/** Everything about one entry: who, where from, to whom, and each field before and after. */
export function EntryDetails({ entry, close }: { entry: AuditEntryResource; close: () => void }): ReactNode {
  const { audit: words } = useWords();
  const at = new Date(entry.date * 1_000).toISOString();
  const { target_id: target, target_username: username, chat_id: chat, bot_id: bot } = entry;
  const rows: (readonly [string, ReactNode] | null)[] = [
    [
      words.columns.at,
      <span key="at">
        <Moment at={at} />, <Ago at={at} />
      </span>,
    ],
    [words.columns.actor, <Actor key="actor" entry={entry} />],
    entry.actor_key_id === undefined ? null : [words.key, <KeyLink key="key" entry={entry} id={entry.actor_key_id} />],
    entry.address === undefined ? null : [words.address, <code key="address">{entry.address}</code>],
    entry.request_id === undefined ? null : [words.request, <code key="request">{entry.request_id}</code>],
    bot === undefined ? null : [words.columns.bot, <BotLink key="bot" id={bot} />],
    chat === undefined ? null : [words.chat, <code key="chat">{chat}</code>],
    target === undefined
      ? null
      : [
          words.columns.target,
          <span key="target">
            <code>{target}</code> {username && <bdi>@{username}</bdi>}
          </span>,
        ],
  ];
  return (
    <Inspector title={words.actions[entry.action] ?? entry.action} close={close}>
      <Facts rows={rows.filter((row) => row !== null)} />
      <Changes details={entry.details} />
    </Inspector>
  );
}

/** The keys of an account are for itself and for administrators. */
function KeyLink({ entry, id }: { entry: AuditEntryResource; id: number }): ReactNode {
  const { account } = useSession();
  const { actor_id: owner } = entry;
  const sees = owner !== undefined && (account.role === 'admin' || account.id === owner);
  const keys = useQuery({
    queryKey: ['keys', String(owner), 'named'],
    queryFn: ({ signal }) => call('listApiKeys', { user_id: owner!, limit: MOST_KEYS }, signal),
    enabled: sees,
  });
  const name = keys.data?.find((one) => one.id === id)?.name;
  if (!sees || name === undefined) return `#${id}`;
  return (
    <Link to="/access" search={{ view: 'keys', account: String(owner), open: String(id) }}>
      <bdi>{name}</bdi>
    </Link>
  );
}

function Changes({ details }: { details: string }): ReactNode {
  const all = useDetails()(details);
  const changes = all.filter(({ after }) => after !== undefined);
  const said = all.filter(({ after }) => after === undefined).map(({ field }) => field);
  return (
    <>
      {said.length > 0 && (
        <p className="said" dir="auto">
          {said.join('; ')}
        </p>
      )}
      {changes.length > 0 && <ChangeTable changes={changes} />}
    </>
  );
}

function ChangeTable({ changes }: { changes: readonly ChangeInWords[] }): ReactNode {
  const { audit: words } = useWords();
  // Of what was added, nothing was there before.
  const hasBefore = changes.some(({ before }) => before !== undefined);
  return (
    <table className={hasBefore ? 'changes both' : 'changes'}>
      <thead>
        <tr>
          <th scope="col">{words.field}</th>
          {hasBefore && <th scope="col">{words.before}</th>}
          <th scope="col">{words.after}</th>
        </tr>
      </thead>
      <tbody>
        {changes.map((change) => (
          <ChangeRow key={change.field} change={change} hasBefore={hasBefore} />
        ))}
      </tbody>
    </table>
  );
}

function ChangeRow({ change, hasBefore }: { change: ChangeInWords; hasBefore: boolean }): ReactNode {
  const { field, before, after } = change;
  return (
    <tr>
      <th scope="row">{field}</th>
      {hasBefore && <td dir="auto">{before ?? <span className="muted">–</span>}</td>}
      <td dir="auto">{after}</td>
    </tr>
  );
}

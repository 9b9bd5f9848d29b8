import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { type Answer, call } from '../../call.ts';
import { Button } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/failure.tsx';
import { StateMark } from '../../parts/state-badge.tsx';
import { Ago, useNumber } from '../../parts/time.tsx';
import { REFRESH_MS } from '../../queries.ts';
import type { Words } from '../../words/en.ts';
import { useWords } from '../../words/words.tsx';
import { ReaderPicture } from './reader-picture.tsx';

type Reader = Answer<'listReaders'>[number];

/** The shape and colour of each state, as bots have them. */
const MARKS = {
  ok: 'ok',
  failing: 'failing',
  open: 'open',
  paused: 'disabled',
  parked: 'disabled',
  off: 'disabled',
} as const satisfies Record<Reader['state'], string>;

/** Who reads the bot's updates, and how far each one is. */
export function Readers({ botId }: { botId: number }): ReactNode {
  const { bot: words } = useWords();
  const readers = useQuery({
    queryKey: ['readers', botId],
    queryFn: ({ signal }) => call('listReaders', { bot_id: botId }, signal),
    refetchInterval: REFRESH_MS,
  });
  const nameOf = ({ reader }: Reader) => readerName(reader, words.readers.names);
  // Readers that never read, such as rules of a bot without rules, say nothing.
  const shown = readers.data?.filter(({ state, behind }) => state !== 'off' || behind > 0) ?? [];
  return (
    <section className="panel" aria-labelledby="readers">
      <h2 id="readers">{words.readers.title}</h2>
      {readers.isError && <Failure error={readers.error} retry={() => void readers.refetch()} />}
      {readers.data && shown.length === 0 && <p className="muted">{words.readers.nobody}</p>}
      {shown.length > 0 && <ReaderPicture readers={shown} nameOf={nameOf} />}
      <ul className="readers">
        {shown.map((reader) => (
          <ReaderRow key={reader.reader} reader={reader} botId={botId} />
        ))}
      </ul>
    </section>
  );
}

function ReaderRow({ reader, botId }: { reader: Reader; botId: number }): ReactNode {
  const { bot: words } = useWords();
  const number = useNumber();
  const { behind, oldest_at: oldestAt, state } = reader;
  const consumer = /^consumer:(.+)$/.exec(reader.reader)?.[1];
  return (
    <li>
      <span className="reader-name cut" title={reader.backend_url}>
        {readerName(reader.reader, words.readers.names)}
        {consumer && <span className="muted"> · {words.readers.consumer}</span>}
      </span>
      <span className="state">
        <StateMark state={MARKS[state]} />
        {words.readers.states[state]}
      </span>
      <span>
        {behind === 0 ? words.readers.upToDate : words.readers.behind(behind)}
        {oldestAt && (
          <span className="muted">
            {', '}
            {words.readers.oldest} <Ago at={oldestAt} />
          </span>
        )}
      </span>
      <span className="reader-action">
        {reader.reader === 'push' && (state === 'open' || state === 'failing') && <TryNow botId={botId} />}
        {consumer && <Forget botId={botId} consumer={consumer} keeps={number(reader.keeps)} />}
      </span>
    </li>
  );
}

function readerName(reader: string, names: Words['bot']['readers']['names']): string {
  return /^consumer:(.+)$/.exec(reader)?.[1] ?? names[reader as keyof typeof names] ?? reader;
}

/** Tries the backend at once, instead of at its next probe. */
function TryNow({ botId }: { botId: number }): ReactNode {
  const { bot: words } = useWords();
  const queries = useQueryClient();
  const resume = useMutation({
    mutationFn: () => call('resumeBackend', { bot_id: botId }),
    onSettled: () => queries.invalidateQueries(),
  });
  return (
    <>
      <Button onClick={() => resume.mutate()} busy={resume.isPending}>
        {words.readers.tryNow}
      </Button>
      {resume.isError && <Failure error={resume.error} />}
    </>
  );
}

function Forget({ botId, consumer, keeps }: { botId: number; consumer: string; keeps: string }): ReactNode {
  const words = useWords();
  const queries = useQueryClient();
  const [asking, setAsking] = useState(false);
  const forget = useMutation({
    mutationFn: () => call('forgetConsumer', { bot_id: botId, consumer }),
    onSuccess: async () => {
      await queries.invalidateQueries();
      setAsking(false);
    },
  });
  const { readers } = words.bot;
  return (
    <>
      <Button onClick={() => setAsking(true)}>{readers.forget}</Button>
      {asking && (
        <Dialog
          title={readers.forgetTitle(consumer)}
          description={readers.forgetHint(keeps)}
          close={() => setAsking(false)}
          className="narrow"
        >
          {forget.isError && <Failure error={forget.error} />}
          <div className="dialog-actions">
            <Button onClick={() => setAsking(false)}>{words.cancel}</Button>
            <Button kind="primary" busy={forget.isPending} onClick={() => forget.mutate()}>
              {readers.forget}
            </Button>
          </div>
        </Dialog>
      )}
    </>
  );
}

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import { type Answer, call } from '../../call.ts';
import { atOnceAndAfter } from '../../live/at-once-and-after.ts';
import { useLive } from '../../live.ts';
import { ChangedRows } from '../../parts/changed-rows.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Failure } from '../../parts/failure.tsx';
import { useRowKeys } from '../../parts/row-keys.ts';
import { StateMark } from '../../parts/state-badge.tsx';
import { Clock, useNumber } from '../../parts/time.tsx';
import { useHeldRows } from '../../parts/use-held-rows.ts';
import { REFRESH_MS } from '../../queries.ts';
import type { Words } from '../../words/en.ts';
import { useWords } from '../../words/words.tsx';
import { OpenedAttempt } from './opened-attempt.tsx';

const SETTLE_MS = 1_000;

type Attempt = Answer<'listDeliveryAttempts'>[number];

/** The last attempts to deliver updates to the backend; one of them opens beside the list, which then holds still. */
export function Attempts({ botId }: { botId: number }): ReactNode {
  const { bot: words } = useWords();
  const { attempt: opened } = useSearch({ strict: false }) as { attempt?: string };
  const attempts = useQuery({
    queryKey: ['attempts', botId],
    queryFn: ({ signal }) => call('listDeliveryAttempts', { bot_id: botId }, signal),
    refetchInterval: REFRESH_MS,
  });
  const askAgain = useAttemptsRefresh(botId);
  useLive([`attempts:${botId}`], ({ name }) => name === 'attempt' && askAgain());
  useRowKeys('.attempts a');
  const { data: latest = [] } = attempts;
  const list = { total: latest.length, rowAt: (index: number) => latest[index], keyOf, stale: false };
  const held = useHeldRows(list, opened !== undefined);
  const shown = Array.from({ length: held.total }, (_, index) => held.rowAt(index)).filter((row) => row !== undefined);
  return (
    <section className="panel" aria-labelledby="attempts" {...held.area}>
      <header className="attempts-head">
        <h2 id="attempts">{words.attempts}</h2>
        <ChangedRows held={held} />
      </header>
      {attempts.isError && <Failure error={attempts.error} retry={() => void attempts.refetch()} />}
      {attempts.data?.length === 0 && <Empty title={words.noAttempts} />}
      <ul className="attempts">
        {shown.map((attempt) => (
          <AttemptRow key={attempt.id} attempt={attempt} isOpen={attempt.id === opened} />
        ))}
      </ul>
      {opened && <OpenedAttempt key={opened} botId={botId} id={opened} />}
    </section>
  );
}

const keyOf = ({ id }: Attempt): string => id;

/** Asks for the attempts and the readers after each attempt, but not for every one of many. */
function useAttemptsRefresh(botId: number): () => void {
  const queries = useQueryClient();
  return useMemo(
    () =>
      atOnceAndAfter(SETTLE_MS, () => {
        void queries.invalidateQueries({ queryKey: ['attempts', botId] });
        void queries.invalidateQueries({ queryKey: ['readers', botId] });
      }),
    [queries, botId],
  );
}

function AttemptRow({ attempt, isOpen }: { attempt: Attempt; isOpen: boolean }): ReactNode {
  const words = useWords();
  const number = useNumber();
  return (
    <li>
      <Link
        to="."
        search={(others) => ({ ...others, attempt: attempt.id })}
        resetScroll={false}
        aria-expanded={isOpen}
        className="attempt-row"
      >
        <Clock at={attempt.at} />
        <span className="answer">
          <StateMark state={markOf(attempt)} />
          {answerOf(attempt, words)}
        </span>
        <span className="muted end">{words.bot.ms(number(attempt.duration_ms))}</span>
        <span className="muted cut">
          {readerOf(attempt, words)} {words.bot.columns.update} {attempt.update_id}
        </span>
      </Link>
    </li>
  );
}

/** A delivered update whose answer had a call that did not succeed is neither well nor a failure. */
function markOf({ error, call_error: callError }: Attempt): 'ok' | 'failing' | 'open' {
  if (error !== undefined) return 'open';
  return callError === undefined ? 'ok' : 'failing';
}

function answerOf({ status }: Attempt, { bot }: Words): string {
  return status === 0 ? bot.noAnswer : String(status);
}

/** Of the bot's own backend there is nothing to say. */
function readerOf({ program_name: program, destination }: Attempt, { bot }: Words): string {
  if (program !== undefined) return `${bot.readers.program(program)} ·`;
  return destination === undefined ? '' : `${bot.readers.names.rules}: ${destination} ·`;
}

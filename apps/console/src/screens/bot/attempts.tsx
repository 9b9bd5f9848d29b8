import { useQueryClient } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { type ReactNode, useEffect, useMemo } from 'react';
import { type Answer, callPage } from '../../call.ts';
import { atOnceAndAfter } from '../../live/at-once-and-after.ts';
import { useLive } from '../../live.ts';
import { BotName } from '../../parts/bot-name.tsx';
import { Button } from '../../parts/button.tsx';
import { ChangedRows } from '../../parts/changed-rows.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Failure } from '../../parts/failure.tsx';
import { useRowKeys } from '../../parts/row-keys.ts';
import { StateMark } from '../../parts/state-badge.tsx';
import { Clock, useNumber } from '../../parts/time.tsx';
import { Told } from '../../parts/told.tsx';
import { useHeldRows } from '../../parts/use-held-rows.ts';
import { isAtOlderPages, usePages } from '../../parts/use-pages.ts';
import type { Words } from '../../words/en.ts';
import { useWords } from '../../words/words.tsx';
import { useDeliveriesWords } from '../deliveries/deliveries-words.ts';
import type { attemptConditions } from '../deliveries/delivery-filter.ts';
import { addressOf, openedOf } from './attempt-address.ts';
import { OpenedAttempt } from './opened-attempt.tsx';
import './attempts.css';

const SETTLE_MS = 1_000;
/** The rows in place of those that are still loaded. */
const AWAITED = [0, 1, 2, 3, 4];

type Attempt = Answer<'listDeliveryAttempts'>[number];

type AttemptsProps = {
  /** Absent: the failed attempts of all bots. */
  botId?: number;
  /** The filter of the list that goes back as far as there are attempts; absent: the last ones, with a way to that list. */
  conditions?: Conditions;
};
type Conditions = ReturnType<typeof attemptConditions>;

/** The attempts to deliver updates; one of them opens beside the list, which then holds still. */
export function Attempts({ botId, conditions }: AttemptsProps): ReactNode {
  const { bot: words } = useWords();
  const { attempts: more } = useDeliveriesWords();
  const { attempt: opened } = useSearch({ strict: false }) as { attempt?: string };
  const attempts = useAttempts(conditions ?? {}, botId);
  const { rows, held } = useHeldAttempts(attempts, conditions, opened !== undefined);
  const askAgain = useAttemptsRefresh(botId);
  useLive(botId === undefined ? [] : [`attempts:${botId}`], ({ name }) => name === 'attempt' && askAgain());
  useRowKeys('.attempts .row-link');
  const { hasNextPage, isFetchingNextPage } = attempts;
  const isFiltered = Object.keys(conditions ?? {}).length > 0;
  const isOpen = (attempt: Attempt) => addressOf(attempt, botId) === opened;
  const isEmpty = attempts.data !== undefined && attempts.rows.length === 0;
  return (
    <section className="panel" aria-labelledby="attempts" aria-busy={attempts.isPlaceholderData} {...held.area}>
      <header className="attempts-head">
        <h2 id="attempts">{botId === undefined ? more.failed : words.attempts}</h2>
        <ChangedRows held={held} />
        {conditions === undefined && botId !== undefined && (
          <Link to="/bots/$id/deliveries" params={{ id: String(botId) }} search={{ state: 'attempts' }}>
            {more.all}
          </Link>
        )}
      </header>
      {attempts.isError && <Failure error={attempts.error} retry={() => void attempts.refetch()} />}
      {isEmpty && hasNextPage && <p role="status">{more.looking}</p>}
      {isEmpty && !hasNextPage && <NoAttempts isFiltered={isFiltered} ofOneBot={botId !== undefined} />}
      <ul className={botId === undefined ? 'attempts of-all' : 'attempts'}>
        {attempts.isPending &&
          AWAITED.map((at) => (
            <li key={at}>
              <span className="shape" />
            </li>
          ))}
        {rows.map((attempt) => (
          <AttemptRow key={keyOf(attempt)} ofOneBot={botId !== undefined} attempt={attempt} isOpen={isOpen(attempt)} />
        ))}
      </ul>
      {conditions !== undefined && !isEmpty && hasNextPage && (
        <Button busy={isFetchingNextPage} onClick={() => void attempts.fetchNextPage()}>
          {more.older}
        </Button>
      )}
      {opened && <OpenedAttempt key={opened} {...openedOf(opened, botId)} />}
    </section>
  );
}

function NoAttempts({ isFiltered, ofOneBot }: { isFiltered: boolean; ofOneBot: boolean }): ReactNode {
  const { bot: words } = useWords();
  const { attempts: more } = useDeliveriesWords();
  return isFiltered ? (
    <Empty title={more.none} hint={more.kept} />
  ) : (
    <Empty title={ofOneBot ? words.noAttempts : more.noneFailed} />
  );
}

/** The attempts that match. The api looks through so many at a time, so that a first page may have none. */
function useAttempts(conditions: Conditions, bot_id?: number) {
  const of = bot_id === undefined ? {} : { bot_id };
  const attempts = usePages<Attempt>(['attempts', bot_id ?? 'all', 'list', conditions], (page, signal) =>
    callPage('listDeliveryAttempts', { ...of, ...conditions, ...page }, signal),
  );
  const { rows, hasNextPage, isFetching, isError, fetchNextPage } = attempts;
  const goesOn = rows.length === 0 && hasNextPage && !isFetching && !isError;
  useEffect(() => {
    if (goesOn) void fetchNextPage();
  }, [goesOn, fetchNextPage]);
  return attempts;
}

function useHeldAttempts(attempts: ReturnType<typeof useAttempts>, of: unknown, isOpen: boolean) {
  const { rows: found, isPlaceholderData: stale } = attempts;
  const list = { of, total: found.length, rowAt: (index: number) => found[index], keyOf, stale };
  const held = useHeldRows(list, isOpen);
  const rows = Array.from({ length: held.total }, (_, index) => held.rowAt(index)).filter((row) => row !== undefined);
  return { rows, held };
}

const keyOf = ({ bot_id, id }: Attempt): string => `${bot_id}.${id}`;

/** Asks for the attempts and the readers after each attempt, but not for every one of many. */
function useAttemptsRefresh(botId: number | undefined): () => void {
  const queries = useQueryClient();
  return useMemo(
    () =>
      atOnceAndAfter(SETTLE_MS, () => {
        // Who reads older pages is not moved by new rows.
        void queries.invalidateQueries({ queryKey: ['attempts', botId], predicate: (query) => !isAtOlderPages(query) });
        void queries.invalidateQueries({ queryKey: ['readers', botId] });
      }),
    [queries, botId],
  );
}

type RowProps = { ofOneBot: boolean; attempt: Attempt; isOpen: boolean };

/** The row opens the attempt; the number in it leads to what became of the update. */
function AttemptRow({ ofOneBot, attempt, isOpen }: RowProps): ReactNode {
  const words = useWords();
  const number = useNumber();
  const botId = attempt.bot_id;
  const address = addressOf(attempt, ofOneBot ? botId : undefined);
  return (
    <li className={isOpen ? 'open' : ''}>
      <Link
        to="."
        search={(others) => ({ ...others, attempt: address })}
        resetScroll={false}
        aria-expanded={isOpen}
        className="row-link"
      >
        <Clock at={attempt.at} />
        <span className="answer">
          <StateMark state={markOf(attempt)} />
          {answerOf(attempt, words)}
        </span>
      </Link>
      <span className="cut what">
        {attempt.attempt > 1 && <span className="muted">{words.bot.attemptOf(number(attempt.attempt))} </span>}
        <WhatCame attempt={attempt} />
      </span>
      <span className="muted end">{words.bot.ms(number(attempt.duration_ms))}</span>
      <span className="muted reader">
        {!ofOneBot && <BotName id={botId} />}
        <bdi className="cut">{readerOf(attempt, words)}</bdi>
      </span>
      <Link
        to="/bots/$id/updates/$update"
        params={{ id: String(botId), update: String(attempt.update_id) }}
        title={words.bot.toUpdate}
        className="to-update"
      >
        {words.bot.columns.update} {attempt.update_id}
      </Link>
    </li>
  );
}

/** Why it failed, or the call that the answer made. */
function WhatCame({ attempt: { error, call_error, call } }: { attempt: Attempt }): ReactNode {
  if (error !== undefined) return <Told text={error} />;
  return <span className="muted">{call_error ?? call}</span>;
}

/** A delivered update whose answer had a call that did not succeed is neither well nor a failure. */
function markOf({ error, call_error }: Attempt): 'ok' | 'failing' | 'open' {
  if (error !== undefined) return 'open';
  return call_error === undefined ? 'ok' : 'failing';
}

function answerOf({ status }: Attempt, { bot }: Words): string {
  return status === 0 ? bot.noAnswer : String(status);
}

function readerOf({ reader, program_name: program, destination, replay }: Attempt, { bot }: Words): string {
  const isCopy = replay ? ` · ${bot.replay}` : '';
  if (program !== undefined) return `${program}${isCopy}`;
  if (reader === 'push') return `${bot.readers.names.push}${isCopy}`;
  return destination === undefined ? bot.readers.names.rules : `${bot.readers.names.rules}: ${destination}`;
}

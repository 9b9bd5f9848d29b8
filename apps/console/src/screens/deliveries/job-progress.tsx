import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';
import { type Answer, call } from '../../call.ts';
import { BotName } from '../../parts/bot-name.tsx';
import { Button } from '../../parts/button.tsx';
import { Failure } from '../../parts/failure.tsx';
import { useNumber } from '../../parts/time.tsx';
import { useToast } from '../../parts/undo-toast.tsx';
import { useThrottled } from '../../parts/use-throttled.ts';
import { useDeliveriesWords } from './deliveries-words.ts';

const ASK_EVERY_MS = 1_000;
const ASK_FOR_OUTCOME_EVERY_MS = 2_000;
/** An update that still waits then is tried again only minutes later. */
const OUTCOME_WITHIN_MS = 600_000;
const SAID_EVERY_MS = 5_000;

/** How far a redrive or a discard is, which goes on by itself; at its end, what it did. */
export function JobProgress({ id, isNew, hide }: { id: string; isNew: boolean; hide: () => void }): ReactNode {
  const deliveries = useDeliveriesWords();
  const { job: words } = deliveries;
  const number = useNumber();
  const queries = useQueryClient();
  const job = useQuery({
    queryKey: ['delivery-job', id],
    queryFn: ({ signal }) => call('showDeliveryJob', { id }, signal),
    refetchInterval: ({ state }) => againAfter(state.data),
  });
  const isFinished = job.data?.state === 'finished';
  const isKnown = job.data?.state === 'finished' && waitingOf(job.data) === 0;
  useEffect(() => {
    if (isFinished || isKnown) void queries.invalidateQueries({ queryKey: ['deliveries'] });
  }, [isFinished, isKnown, queries]);
  useOutcomeToast(job.data, isKnown, isNew);
  const said = useThrottled(job.data === undefined ? '' : sentenceOf(job.data, words, number), SAID_EVERY_MS);
  if (job.data === undefined) return job.isError && <Failure error={job.error} />;
  const { action, matched, done, refused, refusals, created_at } = job.data;
  return (
    <section className="panel job" aria-label={words[action]}>
      <p role="status" className="unseen">
        {said}
      </p>
      <div>
        <strong>{sentenceOf(job.data, words, number)}</strong>
        {refused > 0 && <span>. {words.refused(refused)}</span>}
        {isFinished && <Outcome job={job.data} />}
        {!isFinished && <span className="muted"> · {words.goesOn}</span>}
      </div>
      {!isFinished && <progress max={Math.max(1, matched)} value={done + refused} aria-label={words[action]} />}
      {refusals.length > 0 && (
        <ul className="refusals">
          {refusals.map(({ bot_id: bot, reader, count, code }) => (
            <li key={`${bot} ${reader}`}>
              <BotName id={bot} />: {number(count)}. {deliveries.refusals[code]}
            </li>
          ))}
        </ul>
      )}
      <div className="actions">
        {isFinished && action === 'redrive' && (
          <Link
            className="button plain"
            to="."
            search={(filter) => ({ ...onlyBot(filter), job: id, since: created_at })}
          >
            {words.failedAgain}
          </Link>
        )}
        <Button kind="quiet" onClick={hide}>
          {words.hide}
        </Button>
      </div>
    </section>
  );
}

type Job = Answer<'showDeliveryJob'>;

/** How many of those that are followed are neither delivered nor given up again. */
function waitingOf({ outcome }: Job): number {
  return outcome === undefined ? 0 : outcome.followed - outcome.delivered - outcome.failed_again;
}

function againAfter(job: Job | undefined): number | false {
  if (job?.state !== 'finished') return ASK_EVERY_MS;
  const isOver = Date.now() - Date.parse(job.finished_at ?? job.created_at) > OUTCOME_WITHIN_MS;
  return waitingOf(job) === 0 || isOver ? false : ASK_FOR_OUTCOME_EVERY_MS;
}

/** The outcome of the updates, where it is known. */
function Outcome({ job: { outcome, done } }: { job: Job }): ReactNode {
  const { job: words } = useDeliveriesWords();
  if (outcome === undefined || outcome.followed === 0) return null;
  const { followed, delivered, failed_again: again } = outcome;
  const waiting = followed - delivered - again;
  return (
    <span className="outcome">
      {followed < done && <span className="muted">{words.first(followed)} </span>}
      <span>{words.delivered(delivered)}</span>
      {again > 0 && <span className="bad">{words.again(again)}</span>}
      {waiting > 0 && <span className="muted">{words.queued(waiting)}</span>}
    </span>
  );
}

/** Says how a redrive ended when that becomes known while somebody looks. */
function useOutcomeToast(job: Job | undefined, isKnown: boolean, isNew: boolean): void {
  const { job: words } = useDeliveriesWords();
  const toast = useToast();
  const wasOpen = useRef(isNew);
  useEffect(() => {
    if (job === undefined) return;
    if (!isKnown) wasOpen.current = true;
    else if (wasOpen.current && job.outcome !== undefined && job.outcome.followed > 0) {
      wasOpen.current = false;
      const { delivered, failed_again: again } = job.outcome;
      toast({ text: [words.delivered(delivered), ...(again > 0 ? [words.again(again)] : [])].join(', ') });
    }
  }, [job, isKnown, toast, words]);
}

function sentenceOf(
  { state, action, done, matched }: Job,
  words: ReturnType<typeof useDeliveriesWords>['job'],
  number: (n: number) => string,
): string {
  if (state === 'finished') return action === 'redrive' ? words.redriven(done) : words.discarded(done);
  return `${words[action]}: ${words.of(number(done), number(matched))}`;
}

function onlyBot(filter: { bot?: string | undefined }): { bot?: string } {
  return filter.bot === undefined ? {} : { bot: filter.bot };
}

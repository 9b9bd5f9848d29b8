import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import { type Answer, call } from '../../call.ts';
import { Button } from '../../parts/button.tsx';
import { Failure } from '../../parts/failure.tsx';
import { useNumber } from '../../parts/time.tsx';
import { useThrottled } from '../../parts/use-throttled.ts';
import { BotName } from './act-on-letters.tsx';
import { useDeliveriesWords } from './deliveries-words.ts';

const ASK_EVERY_MS = 1_000;
const SAID_EVERY_MS = 5_000;

/** How far a redrive or a discard is, which goes on by itself; at its end, what it did. */
export function JobProgress({ id, hide }: { id: string; hide: () => void }): ReactNode {
  const deliveries = useDeliveriesWords();
  const { job: words } = deliveries;
  const number = useNumber();
  const queries = useQueryClient();
  const job = useQuery({
    queryKey: ['delivery-job', id],
    queryFn: ({ signal }) => call('showDeliveryJob', { id }, signal),
    refetchInterval: ({ state }) => (state.data?.state === 'finished' ? false : ASK_EVERY_MS),
  });
  const isFinished = job.data?.state === 'finished';
  useEffect(() => {
    if (isFinished) void queries.invalidateQueries({ queryKey: ['deliveries'] });
  }, [isFinished, queries]);
  const said = useThrottled(job.data === undefined ? '' : sentenceOf(job.data, words, number), SAID_EVERY_MS);
  if (job.data === undefined) return job.isError && <Failure error={job.error} />;
  const { action, matched, done, refused, refusals, created_at: createdAt } = job.data;
  return (
    <section className="panel job" aria-label={words[action]}>
      <p role="status" className="unseen">
        {said}
      </p>
      <div>
        <strong>{sentenceOf(job.data, words, number)}</strong>
        {refused > 0 && <span>. {words.refused(refused)}</span>}
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
            search={(filter) => ({ ...onlyBot(filter), job: id, since: createdAt })}
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

function sentenceOf(
  { state, action, done, matched }: Answer<'showDeliveryJob'>,
  words: ReturnType<typeof useDeliveriesWords>['job'],
  number: (n: number) => string,
): string {
  if (state === 'finished') return action === 'redrive' ? words.redriven(done) : words.discarded(done);
  return `${words[action]}: ${words.of(number(done), number(matched))}`;
}

function onlyBot(filter: { bot?: string | undefined }): { bot?: string } {
  return filter.bot === undefined ? {} : { bot: filter.bot };
}

import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';
import { centerChosen } from '../../../parts/center-chosen.ts';
import { useWords } from '../../../words/words.tsx';
import { type InboxFilter, QUEUES } from '../inbox-filter.ts';
import { linkToList, useInboxPlace } from '../inbox-place.ts';
import { InboxViews } from './inbox-views.tsx';
import { useQueueCounts } from './use-queue-counts.ts';
import './queues.css';

/** The queues of the inbox with how many chats each has, and the views that the account saved. */
export function QueueRail(): ReactNode {
  const { inbox: words } = useWords();
  const place = useInboxPlace();
  const counts = useQueueCounts(place.ofBot ?? place.filter.bot);
  const { queue: shown = 'all', ...rest } = place.filter;
  const rail = useRef<HTMLElement>(null);
  const isHidden = place.chat !== null;
  // On a phone the last ones are out of sight.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another queue is chosen, or the row is shown again
  useEffect(() => centerChosen(rail.current), [shown, isHidden]);
  return (
    <nav ref={rail} className="queues" aria-label={words.queues}>
      <ul>
        {QUEUES.map((queue) => (
          <li key={queue}>
            <Link
              {...linkToList(place, filterOf(rest, queue))}
              className={`queue ${queue === shown ? 'chosen' : ''}`}
              aria-current={queue === shown ? 'true' : undefined}
              activeOptions={{ exact: true }}
            >
              <span className="cut">{words.queueNames[queue]}</span>
              <span className="queue-count">{counts?.[queue] ?? ''}</span>
            </Link>
          </li>
        ))}
      </ul>
      <InboxViews />
    </nav>
  );
}

function filterOf(rest: Omit<InboxFilter, 'queue'>, queue: (typeof QUEUES)[number]): InboxFilter {
  return queue === 'all' ? rest : { ...rest, queue };
}

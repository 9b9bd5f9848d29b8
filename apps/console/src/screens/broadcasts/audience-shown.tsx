import type { BroadcastAudience } from '@flotilla/contract/broadcasts.ts';
import type { ReactNode } from 'react';
import { Moment } from '../../parts/time.tsx';
import { useBroadcastsWords } from './broadcasts-words.ts';

/** An audience in words, one condition in each line. */
export function AudienceShown({ audience }: { audience: BroadcastAudience }): ReactNode {
  const words = useBroadcastsWords();
  const { chat_ids: ids, chat_types: types, tags, active_since: since, exclude_blocked: leavesOut } = audience;
  return (
    <ul>
      {ids && <li>{words.audience.ids(ids.length)}</li>}
      {types && <li>{types.map((type) => words.types[type]).join(', ')}</li>}
      {tags && (
        <li>
          <bdi>{words.audience.tags(tags.join(', '))}</bdi>
        </li>
      )}
      {since && (
        <li>
          {words.audience.activeSince} <Moment at={since} />
        </li>
      )}
      {!leavesOut && <li>{words.audience.withBlocked}</li>}
    </ul>
  );
}

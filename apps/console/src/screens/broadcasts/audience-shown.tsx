import type { BroadcastAudience } from '@flotilla/contract/broadcast-audience.ts';
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
      {audience.list_id && <li>{words.audience.list(audience.list_id)}</li>}
      {audience.failures_of && <li>{words.form.byFailures(audience.failures_of.broadcast_id)}</li>}
      {audience.language_codes && (
        <li>
          {words.form.languages}: {audience.language_codes.join(', ')}
        </li>
      )}
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
      {audience.inactive_since && (
        <li>
          {words.audience.silentSince} <Moment at={audience.inactive_since} />
        </li>
      )}
      {!leavesOut && <li>{words.audience.withBlocked}</li>}
    </ul>
  );
}

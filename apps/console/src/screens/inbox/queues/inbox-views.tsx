import type { SavedFilter } from '@flotilla/contract/saved-views.ts';
import type { ReactNode } from 'react';
import { given } from '../../../parts/filters.tsx';
import { SavedViews } from '../../../parts/saved-views.tsx';
import { useWords } from '../../../words/words.tsx';
import type { InboxFilter } from '../inbox-filter.ts';
import { linkToList, useInboxPlace } from '../inbox-place.ts';

/** The saved views of the inbox. */
export function InboxViews(): ReactNode {
  const { savedViews: words } = useWords();
  const place = useInboxPlace();
  // The chats of one bot have a filter of their own.
  if (place.ofBot !== undefined) return null;
  return (
    <SavedViews
      screen="inbox"
      filter={place.filter}
      filterOf={filterOf}
      savedOf={savedOf}
      linkTo={(filter) => linkToList(place, filter)}
      linkClass={(isChosen) => `queue ${isChosen ? 'chosen' : ''}`}
      frame={(views) => (
        <>
          <h2 className="queues-title">{words.title}</h2>
          {views}
        </>
      )}
    />
  );
}

function savedOf({ bot, unread, ...rest }: InboxFilter): SavedFilter {
  return given({ ...rest, bot_id: bot === undefined ? undefined : Number(bot), unread: unread && (true as const) });
}

function filterOf({ queue, type, tag, q, bot_id: bot, unread }: SavedFilter): InboxFilter {
  return given({
    ...{ queue, type, tag, q },
    bot: bot === undefined ? undefined : String(bot),
    unread: unread && ('1' as const),
  });
}

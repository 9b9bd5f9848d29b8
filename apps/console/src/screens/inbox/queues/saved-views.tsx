import type { ChatViewResource } from '@flotilla/contract/chat-views.ts';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { call } from '../../../call.ts';
import { Button } from '../../../parts/button.tsx';
import { Confirm } from '../../../parts/confirm.tsx';
import { Field } from '../../../parts/field.tsx';
import { given } from '../../../parts/filters.tsx';
import { Icon } from '../../../parts/icon.tsx';
import { useForm } from '../../../parts/use-form.ts';
import { useWords } from '../../../words/words.tsx';
import type { InboxFilter } from '../inbox-filter.ts';
import { linkToList, useInboxPlace } from '../inbox-place.ts';

const VIEWS = ['chat-views'];

/** Filters that the account has saved under a name. */
export function SavedViews(): ReactNode {
  const { inbox: words } = useWords();
  const place = useInboxPlace();
  const queries = useQueryClient();
  const [isSaving, setSaving] = useState(false);
  const { data: views = [] } = useQuery({
    queryKey: VIEWS,
    queryFn: ({ signal }) => call('listChatViews', {}, signal),
    retry: false,
  });
  const removing = useMutation({
    mutationFn: (id: number) => call('deleteChatView', { id }),
    onSettled: () => queries.invalidateQueries({ queryKey: VIEWS }),
  });
  // A view of one bot has its own filter.
  if (place.ofBot !== undefined) return null;
  const now = JSON.stringify(place.filter);
  const isChosen = (view: ChatViewResource) => isSame(filterOfView(view), place.filter);
  const canSave = now !== '{}' && !views.some(isChosen);
  return (
    <>
      {(views.length > 0 || canSave) && <h2 className="queues-title">{words.savedViews}</h2>}
      <ul>
        {views.map((view) => (
          <li key={view.id} className="saved-view">
            <Link
              {...linkToList(place, filterOfView(view))}
              className={`queue ${isChosen(view) ? 'chosen' : ''}`}
              aria-current={isChosen(view) ? 'true' : undefined}
              activeOptions={{ exact: true }}
            >
              <bdi className="cut">{view.name}</bdi>
            </Link>
            <Button
              kind="quiet"
              className="icon-only"
              aria-label={words.removeView(view.name)}
              onClick={() => removing.mutate(view.id)}
            >
              <Icon name="close" />
            </Button>
          </li>
        ))}
      </ul>
      {canSave && (
        <Button kind="quiet" className="save-view" onClick={() => setSaving(true)}>
          <Icon name="plus" /> {words.saveView}
        </Button>
      )}
      {isSaving && <SaveView filter={place.filter} close={() => setSaving(false)} />}
    </>
  );
}

function SaveView({ filter, close }: { filter: InboxFilter; close: () => void }): ReactNode {
  const { inbox: words } = useWords();
  const queries = useQueryClient();
  const { text, asked } = useForm({
    known: () => ({ name: '' }),
    fields: ['name'],
    async send({ name }) {
      const { bot, unread, ...rest } = filter;
      const input = given({ ...rest, bot_id: bot, unread: unread && true });
      await call('addChatView', { name: name.trim(), filter: input } as Parameters<typeof call<'addChatView'>>[1]);
      await queries.invalidateQueries({ queryKey: VIEWS });
      close();
    },
  });
  return (
    <Confirm title={words.saveView} act={words.save} close={close} {...asked}>
      <Field label={words.viewName} required maxLength={64} dir="auto" autoComplete="off" {...text('name')} />
    </Confirm>
  );
}

function filterOfView({ filter: { bot_id: bot, unread, ...rest } }: ChatViewResource): InboxFilter {
  return given({
    ...rest,
    bot: bot === undefined ? undefined : String(bot),
    unread: unread && ('1' as const),
  }) as InboxFilter;
}

function isSame(one: InboxFilter, other: InboxFilter): boolean {
  const sorted = (filter: InboxFilter) => JSON.stringify(Object.entries(filter).toSorted());
  return sorted(one) === sorted(other);
}

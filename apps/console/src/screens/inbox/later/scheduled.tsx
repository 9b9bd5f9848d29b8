import type { OutboxEntryResource as Entry } from '@flotilla/contract/outbox.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { call } from '../../../call.ts';
import { Button } from '../../../parts/button.tsx';
import { Confirm } from '../../../parts/confirm.tsx';
import { Moment } from '../../../parts/time.tsx';
import type { ChatId } from '../chat/use-window.ts';
import { useLaterWords } from './later-words.ts';
import { useScheduled } from './use-send-later.ts';
import './later.css';

export function Scheduled({ chat }: { chat: ChatId }): ReactNode {
  const words = useLaterWords();
  const entries = useScheduled(chat);
  const [cancels, setCancels] = useState<Entry | null>(null);
  if (entries.length === 0) return null;
  return (
    <details className="scheduled">
      <summary>{words.scheduled(entries.length)}</summary>
      <ul>
        {entries.map((entry) => (
          <li key={entry.id}>
            <Link
              to="/bots/$id/outbox/$entry"
              params={{ id: String(entry.bot_id), entry: String(entry.id) }}
              title={words.entry}
            >
              <Moment at={entry.send_at!} />
            </Link>
            <bdi className="cut">{textOf(entry)}</bdi>
            <Button kind="quiet" aria-label={words.cancelOf(textOf(entry))} onClick={() => setCancels(entry)}>
              {words.cancel}
            </Button>
          </li>
        ))}
      </ul>
      {cancels && <CancelScheduled entry={cancels} close={() => setCancels(null)} />}
    </details>
  );
}

function CancelScheduled({ entry, close }: { entry: Entry; close: () => void }): ReactNode {
  const words = useLaterWords();
  const queries = useQueryClient();
  const cancel = useMutation({
    mutationFn: () => call('cancelOutboxEntries', { ids: [entry.id] }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['outbox'] });
      close();
    },
  });
  return (
    <Confirm
      title={words.cancelTitle}
      description={textOf(entry)}
      act={words.cancelAct}
      danger
      run={cancel.mutate}
      close={close}
      busy={cancel.isPending}
      error={cancel.error}
    />
  );
}

function textOf({ params, method }: Entry): string {
  const text = params.text ?? params.caption;
  return typeof text === 'string' ? text : method;
}

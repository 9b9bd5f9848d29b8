import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { call } from '../../call.ts';
import { Button } from '../../parts/button.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import type { ShownUpdate } from './shown-update.ts';
import { useUpdateWords } from './update-words.ts';

type Reader = ShownUpdate['readers'][number];
type ReplayProps = { bot_id: number; update_id: number; reader: Reader; name: string };

const ENDED: readonly Reader['outcome'][] = ['delivered', 'dead', 'expired'];

/** A backend that had the update gets it once more. Those that poll make no attempts, and get none. */
export function canReplay({ outcome, attempts }: Reader, update: ShownUpdate): boolean {
  return update.update !== undefined && ENDED.includes(outcome) && attempts.some(isOfBackend);
}

const isOfBackend = ({ reader }: Reader['attempts'][number]) => reader !== 'rules';

/** Asks first, because the bot may answer the person again; then opens the attempt. */
export function Replay({ bot_id, update_id, reader, name }: ReplayProps): ReactNode {
  const words = useUpdateWords();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [isAsking, setAsking] = useState(false);
  const replay = useMutation({
    mutationFn: () => {
      const { program_id } = reader;
      const to = program_id === undefined ? { reader: 'push' as const } : { program_id };
      return call('replayUpdate', { bot_id, update_id, ...to });
    },
    onSuccess: async ({ id }) => {
      void queries.invalidateQueries({ queryKey: ['attempts', bot_id] });
      await queries.invalidateQueries({ queryKey: ['update', 'shown'] });
      setAsking(false);
      void navigate({ to: '.', search: { attempt: id }, resetScroll: false });
    },
  });
  return (
    <>
      <Button kind="quiet" onClick={() => setAsking(true)}>
        {words.replay.act}
      </Button>
      {isAsking && (
        <Confirm
          title={words.replay.title(String(update_id), name)}
          description={words.replay.hint}
          act={words.replay.act}
          run={replay.mutate}
          close={() => setAsking(false)}
          busy={replay.isPending}
          error={replay.error}
        />
      )}
    </>
  );
}

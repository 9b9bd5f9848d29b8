import type { BotResource } from '@flotilla/contract/bots.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { call } from '../../call.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { useSettingsWords } from './settings-words.ts';

/** Asks first, since the old token ends at once. */
export function RotateToken({ bot, close }: { bot: BotResource; close: () => void }): ReactNode {
  const words = useSettingsWords();
  const queries = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => call('rotateToken', { id: bot.id }),
    onSuccess: () => {
      void queries.invalidateQueries();
      close();
    },
  });
  return (
    <Confirm
      title={words.rotate}
      description={words.rotateAsk}
      act={words.rotate}
      run={() => mutate()}
      busy={isPending}
      {...{ error, close }}
    />
  );
}

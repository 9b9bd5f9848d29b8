import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { call } from '../../call.ts';
import { updateOfAttempt } from './attempt-address.ts';
import { AttemptDetails } from './attempt-details.tsx';

const MOST = 500;

/** The attempt that the address names, beside the list; what was shown stays. */
export function OpenedAttempt({ botId, id }: { botId: number; id: string }): ReactNode {
  const navigate = useNavigate();
  const update_id = updateOfAttempt(id);
  const attempts = useQuery({
    queryKey: ['attempts', botId, 'of', update_id],
    queryFn: ({ signal }) =>
      call('listDeliveryAttempts', { bot_id: botId, update_id: update_id!, limit: MOST }, signal),
    enabled: update_id !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const attempt = attempts.data?.find((one) => one.id === id);
  const close = () =>
    void navigate({
      to: '.',
      search: ({ attempt: _, ...others }: Record<string, unknown>) => others,
      resetScroll: false,
    } as never);
  if (attempt === undefined) return null;
  return <AttemptDetails key={attempt.id} botId={botId} attempt={attempt} close={close} />;
}

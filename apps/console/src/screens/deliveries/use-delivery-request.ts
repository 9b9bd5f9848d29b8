import type { DeliveryResource } from '@flotilla/contract/deliveries.ts';
import { skipToken, useQuery } from '@tanstack/react-query';
import { type Answer, call } from '../../call.ts';

type Attempt = Answer<'listDeliveryAttempts'>[number];
type Request = NonNullable<Attempt['request']>;
type Backend = { backend_url: string; secret_token: string };

const MASK = '****';

/** The last attempt of a delivery to a backend while it is kept, and its request, or one that is made as another attempt would. */
export function useDeliveryRequest(delivery: DeliveryResource): {
  attempt: Attempt | undefined;
  request: Request | undefined;
  isMadeAnew: boolean;
} {
  const { bot_id, reader, program_id, update_id } = delivery;
  const isPushed = reader === 'push' || (reader === 'program' && program_id !== undefined);
  const attempts = useQuery({
    queryKey: ['attempts', bot_id, program_id, update_id],
    queryFn: isPushed
      ? ({ signal }) => call('listDeliveryAttempts', { bot_id, update_id, ...(program_id && { program_id }) }, signal)
      : skipToken,
  });
  const attempt = attempts.data?.find((one) => one.reader === reader && one.program_id === program_id);
  const isLost = isPushed && !attempts.isPending && attempt?.request === undefined;
  const backend = useQuery({
    queryKey: program_id === undefined ? ['bot', String(bot_id)] : ['program', program_id],
    queryFn: isLost ? ({ signal }) => readBackend(delivery, signal) : skipToken,
    retry: false,
  });
  const anew = isLost && backend.data?.backend_url ? requestOf(delivery, backend.data) : undefined;
  return { attempt, request: attempt?.request ?? anew, isMadeAnew: anew !== undefined };
}

function readBackend({ bot_id, program_id }: DeliveryResource, signal: AbortSignal): Promise<Backend> {
  return program_id === undefined
    ? call('showBot', { id: bot_id }, signal)
    : call('showProgram', { id: program_id }, signal);
}

function requestOf({ bot_id, program_id, update_id }: DeliveryResource, backend: Backend): Request {
  const reader = program_id === undefined ? '' : `p${program_id}-`;
  return {
    method: 'POST',
    url: backend.backend_url,
    headers: {
      'Content-Type': 'application/json',
      ...(backend.secret_token === '' ? {} : { 'X-Telegram-Bot-Api-Secret-Token': MASK }),
      'Flotilla-Delivery-Id': `${bot_id}-${reader}${update_id}`,
    },
  };
}

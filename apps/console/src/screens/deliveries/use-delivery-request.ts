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
  const { bot_id: botId, reader, program_id: programId, update_id: updateId } = delivery;
  const isPushed = reader === 'push' || (reader === 'program' && programId !== undefined);
  const attempts = useQuery({
    queryKey: ['attempts', botId, programId, updateId],
    queryFn: isPushed
      ? ({ signal }) =>
          call(
            'listDeliveryAttempts',
            { bot_id: botId, update_id: updateId, ...(programId && { program_id: programId }) },
            signal,
          )
      : skipToken,
  });
  const attempt = attempts.data?.find((one) => one.reader === reader && one.program_id === programId);
  const isLost = isPushed && !attempts.isPending && attempt?.request === undefined;
  const backend = useQuery({
    queryKey: programId === undefined ? ['bot', String(botId)] : ['program', programId],
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

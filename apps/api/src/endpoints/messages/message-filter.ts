import type { listMessages } from '@flotilla/contract/operations/messages.ts';
import type { MessageFilter } from '@flotilla/domain/messages/message-store.ts';
import type { z } from 'zod';

type FilterInput = Pick<z.output<typeof listMessages.input>, 'media_type' | 'user_id' | 'from' | 'to'>;

export function messageFilter({
  media_type: mediaType,
  user_id: userId,
  from: fromS,
  to: toS,
}: FilterInput): MessageFilter {
  return { mediaType, userId, fromS, toS };
}

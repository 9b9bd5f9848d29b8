import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { call } from '../../call.ts';
import type { audienceOf } from './draft.ts';
import { BROADCASTS } from './use-broadcasts.ts';

type Audience = ReturnType<typeof audienceOf>;

const TYPING_MS = 400;

/** How many chats an audience has now, counted once the typing pauses. The message does not matter for that. */
export function useAudienceCount(bot_id: string | undefined, audience: Audience) {
  const wanted = JSON.stringify(audience);
  const [asked, setAsked] = useState(wanted);
  useEffect(() => {
    const timer = setTimeout(() => setAsked(wanted), TYPING_MS);
    return () => clearTimeout(timer);
  }, [wanted]);
  const isAsked = bot_id !== undefined && audience !== null;
  const counted = useQuery({
    queryKey: [BROADCASTS, 'audience', bot_id, asked],
    queryFn: ({ signal }) => {
      const message = { method: 'sendMessage', params: { text: '-' } };
      const given = JSON.parse(asked) as NonNullable<Audience>;
      return call('addBroadcast', { bot_id: bot_id!, name: '-', audience: given, ...message, dry_run: true }, signal);
    },
    enabled: isAsked && asked !== 'null',
    placeholderData: keepPreviousData,
    retry: false,
  });
  const isCounting = isAsked && (asked !== wanted || counted.isPlaceholderData || counted.isPending);
  return { counts: isAsked ? counted.data?.counts : undefined, isCounting, error: isAsked ? counted.error : null };
}

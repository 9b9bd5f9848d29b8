import type { BotActivityResource } from '@flotilla/contract/activity.ts';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { createContext, type ReactNode, use, useMemo, useState } from 'react';
import { call } from '../../call.ts';
import { useMedia } from '../../parts/media.ts';
import { Quality } from '../../parts/quality.tsx';
import { Spark } from '../../parts/spark.tsx';

const EVERY_MS = 60_000;
/** The api answers for so many. */
const MOST = 100;
/** Narrower screens have no room for it. */
const ROOM = '(min-width: 64.01rem)';

const Short = createContext<ReadonlyMap<number, BotActivityResource>>(new Map());

/** The recent activity of the bots on the screen, for their rows. */
export function ShortActivity({ ids, children }: { ids: readonly number[]; children: ReactNode }): ReactNode {
  const hasRoom = useMedia(ROOM);
  const shown = ids.slice(0, MOST);
  // Rows that leave the screen need no other answer.
  const [asked, setAsked] = useState(shown);
  if (!shown.every((id) => asked.includes(id))) setAsked(shown);
  const { data } = useQuery({
    queryKey: ['bots-activity', asked.join()],
    queryFn: ({ signal }) => call('listBotActivity', { bot_ids: asked.join() } as never, signal),
    refetchInterval: EVERY_MS,
    placeholderData: keepPreviousData,
    enabled: hasRoom && asked.length > 0,
  });
  const known = useMemo(() => new Map((data ?? []).map((one) => [one.bot_id, one])), [data]);
  return <Short value={known}>{children}</Short>;
}

export function BotQuality({ id }: { id: number }): ReactNode {
  return <Quality {...use(Short).get(id)} />;
}

/** The updates that were delivered in each hour of the last day. */
export function BotDay({ id }: { id: number }): ReactNode {
  const delivered = use(Short).get(id)?.delivered ?? [];
  return delivered.some((count) => count > 0) && <Spark values={delivered} />;
}

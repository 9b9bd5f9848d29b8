import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { call } from '../../call.ts';
import { REFRESH_MS } from '../../queries.ts';

/** How far back the pictures reach. */
export const RANGES = ['hour', 'day', 'week'] as const;
export type Range = (typeof RANGES)[number];

/** The address of a screen with a picture, read. */
export function readRange({ range }: Record<string, unknown>): { range?: Range } {
  const far = RANGES.find((one) => one === range);
  return far === undefined ? {} : { range: far };
}

const MINUTE_MS = 60_000;
const MINUTE_S = 60;
const HOUR_S = 3_600;
const HOURS: Record<Range, number> = { hour: 1, day: 24, week: 168 };

/** The activity of a bot, or of the whole fleet: each minute of the last hour, or each hour. */
export function useActivity(bot_id: number | null, range: Range, enabled = true) {
  return useQuery({
    queryKey: ['activity', bot_id, range],
    queryFn: ({ signal }) => {
      // Of whole minutes, so that within one the same is asked for.
      const from = Math.floor(Date.now() / MINUTE_MS) * MINUTE_S - HOURS[range] * HOUR_S;
      const step = range === 'hour' ? ('minute' as const) : ('hour' as const);
      return call('showActivity', { ...(bot_id === null ? {} : { bot_id }), step, from }, signal);
    },
    refetchInterval: range === 'hour' ? REFRESH_MS : 6 * REFRESH_MS,
    placeholderData: keepPreviousData,
    enabled,
  });
}

import type { EventKind } from '@flotilla/contract/events.ts';
import { given, readId, readMoment } from '../../parts/filters.tsx';
import { EVENT_KINDS } from './event-looks.ts';

/** What the address says about the list. */
export type EventFilter = { kind?: EventKind; bot?: string; from?: string; to?: string };

export function readEventFilter({ kind, bot, from, to }: Record<string, unknown>): EventFilter {
  return given({
    kind: EVENT_KINDS.find((one) => one === kind),
    bot: readId(bot),
    from: readMoment(from),
    to: readMoment(to),
  });
}

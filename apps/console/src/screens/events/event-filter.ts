import type { EventKind } from '@flotilla/contract/events.ts';
import { given, readId, readMoment } from '../../parts/filters.tsx';
import { EVENT_KINDS } from './event-looks.ts';

export type EventFilter = { kind?: EventKind; bot?: string; from?: string; to?: string };

/** And which event is open beside it. */
export type EventsAddress = EventFilter & { open?: string };

export function readEventsAddress({ kind, bot, from, to, open }: Record<string, unknown>): EventsAddress {
  return given({
    kind: EVENT_KINDS.find((one) => one === kind),
    bot: readId(bot),
    from: readMoment(from),
    to: readMoment(to),
    open: readId(open),
  });
}

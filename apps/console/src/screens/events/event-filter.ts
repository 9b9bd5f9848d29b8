import { given, readId, readText } from '../../parts/filters.tsx';

/** What the address says about the list. */
export type EventFilter = { kind?: string; bot?: string };

export function readEventFilter(search: Record<string, unknown>): EventFilter {
  return given({ kind: readText(search.kind), bot: readId(search.bot) });
}

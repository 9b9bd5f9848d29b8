import { given, readId, readText } from '../../parts/filters.tsx';

export const VIEWS = ['people', 'keys', 'sessions'] as const;
export type View = (typeof VIEWS)[number];

export type AccessAddress = { view?: View; account?: string; q?: string; open?: string };

export function readAccessAddress(search: Record<string, unknown>): AccessAddress {
  return given({
    view: VIEWS.find((view) => view === search.view),
    account: readId(search.account),
    q: readText(search.q),
    open: readId(search.open),
  });
}

import { given, readId, readText } from '../../parts/filters.tsx';

export type PeopleAddress = { q?: string; user?: string };

export function readPeopleAddress(search: Record<string, unknown>): PeopleAddress {
  return given({ q: readText(search.q), user: readId(search.user) });
}

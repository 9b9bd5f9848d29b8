import type { Database } from '@flotilla/database/connect.ts';
import { untilAborted } from '@flotilla/database/until-aborted.ts';
import type { Scope } from '../../people/accounts/scope.ts';
import { withinSearchTime } from '../messages/search-time.ts';
import { type PeopleQuery, type Person, peopleStore } from './people-store.ts';

/** People by name, username or id. `signal` ends the search, also in Postgres. Throws 'unavailable' if it takes too long. */
export function findPeople(
  { db }: { db: Database },
  scope: Scope,
  { signal, ...query }: PeopleQuery & { signal?: AbortSignal },
): Promise<Person[]> {
  return withinSearchTime(signal, (ended) =>
    untilAborted(db, ended, (connection) => peopleStore(connection).find(scope, query)),
  );
}

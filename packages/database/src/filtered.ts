import type { Filters, Resource } from '@flotilla/contract/resource.ts';
import { type RawBuilder, type SqlBool, sql } from 'kysely';

/** The condition of rows whose fields have the values that a list is filtered by; undefined does not filter. */
export function filtered<Of extends Resource>({ filters }: Of, query: Filters<Of>): RawBuilder<SqlBool> {
  const conditions = Object.entries(query).flatMap(([name, value]) => {
    // Else a misspelt name would mean every row.
    if (!(name in filters)) throw new Error(`${name} is no filter`);
    return value === undefined ? [] : [sql`${sql.ref(name)} = ${value}`];
  });
  return sql`${sql.join([sql`true`, ...conditions], sql` and `)}`;
}

import type { Migration } from 'kysely/migration';

/** A step of the schema. Each is a transaction of its own. */
export type SchemaStep = Migration & {
  /** For what Postgres does outside transactions only, such as building an index concurrently; it must bear repeating. */
  outsideTransaction?: true;
};

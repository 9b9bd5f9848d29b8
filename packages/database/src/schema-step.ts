import type { Migration } from 'kysely/migration';

/** A step of the schema. Each is a transaction of its own. */
export type SchemaStep = Migration & {
  /** For statements that Postgres refuses in transactions, such as a concurrent index; it must be repeatable. */
  outsideTransaction?: true;
};

import type { Migration } from 'kysely/migration';

/** A step of the schema, in a transaction of its own. */
export type SchemaStep = Migration & {
  /** For statements that Postgres refuses in a transaction, such as a concurrent index. The step must be repeatable. */
  outsideTransaction?: true;
};

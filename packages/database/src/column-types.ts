import type { ColumnType } from 'kysely';

/** A 64-bit integer column; every value we store is below 2^53 and is read as a number. */
export type BigInt64 = number;

export type CreatedAt = ColumnType<Date, Date | undefined, never>;

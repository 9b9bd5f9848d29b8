/** A column of Postgres. What it has for the compiler: the value that a row gives, and if an insert may leave it out. */
export type Column<Value = unknown, Type extends ColumnType = ColumnType, Filled extends boolean = boolean> = {
  readonly type: Type;
  readonly nullable: boolean;
  /** The database has a default. */
  readonly filled: Filled;
  /** Nothing has it. */
  readonly value?: Value;
};

type ColumnType = 'bigint' | 'integer' | 'boolean' | 'text' | 'timestamptz' | 'jsonb';

const of = <Value, Type extends ColumnType>(type: Type): Column<Value, Type, false> => ({
  ...{ type, nullable: false, filled: false },
});

export const column = {
  /** Our values are below 2^53 and are numbers. */
  bigint: of<number, 'bigint'>('bigint'),
  integer: of<number, 'integer'>('integer'),
  boolean: of<boolean, 'boolean'>('boolean'),
  timestamptz: of<Date, 'timestamptz'>('timestamptz'),
  text: <Value extends string = string>() => of<Value, 'text'>('text'),
  jsonb: <Value>() => of<Value, 'jsonb'>('jsonb'),
};

export function orNull<Value, Type extends ColumnType, Filled extends boolean>(
  stored: Column<Value, Type, Filled>,
): Column<Value | null, Type, Filled> {
  return { ...stored, nullable: true };
}

/** The database fills it in where nothing is given. */
export function filled<Value, Type extends ColumnType>(
  stored: Column<Value, Type, boolean>,
): Column<Value, Type, true> {
  return { ...stored, filled: true };
}

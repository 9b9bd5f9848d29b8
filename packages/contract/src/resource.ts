import { z } from 'zod';
import type { Column } from './columns.ts';

/** One field of a resource, under the one name that it has from its column to the answer. */
export type Field = {
  /** Its column. Absent: it is computed for the answer. */
  readonly stored?: Column;
  /** How the answer has it. Absent: it never leaves. */
  readonly shown?: z.ZodType;
  /** The input by which lists find it. */
  readonly filter?: z.ZodType;
  /** The input by which callers set it, when they add the resource or change it. */
  readonly input?: z.ZodType;
  /** Its value where none is given for a new one. */
  readonly initial?: unknown;
};

export type Fields = Readonly<Record<string, Field>>;

type Having<Of extends Fields, Attribute extends keyof Field> = {
  [Name in keyof Of]: Of[Name] extends Required<Pick<Field, Attribute>> ? Name : never;
}[keyof Of];

type Attributes<Of extends Fields, Attribute extends keyof Field> = {
  -readonly [Name in Having<Of, Attribute>]: NonNullable<Of[Name][Attribute]>;
};

export type Resource<Of extends Fields = Fields> = {
  readonly fields: Of;
  /** The answer. */
  readonly answer: z.ZodObject<Attributes<Of, 'shown'>, z.core.$strict>;
  /** The inputs by which a list is filtered. */
  readonly filters: Attributes<Of, 'filter'>;
  /** The inputs of a new one. */
  readonly addInputs: {
    -readonly [Name in Having<Of, 'input'>]: Of[Name] extends { initial: unknown }
      ? z.ZodDefault<NonNullable<Of[Name]['input']>>
      : NonNullable<Of[Name]['input']>;
  };
  /** The inputs of a change, of which none is required. */
  readonly changeInputs: { -readonly [Name in Having<Of, 'input'>]: z.ZodOptional<NonNullable<Of[Name]['input']>> };
};

/** Declares a resource once; `id` is its name in the API document. Fields stand in the order of the answer. */
export function defineResource<const Of extends Fields>(id: string, fields: Of): Resource<Of> {
  const schemas = (of: (field: Field) => z.ZodType | undefined) =>
    Object.fromEntries(
      Object.entries(fields).flatMap(([name, field]) => {
        const schema = of(field);
        return schema === undefined ? [] : [[name, schema]];
      }),
    );
  return {
    fields,
    answer: z.strictObject(schemas(({ shown }) => shown)).meta({ id }),
    filters: schemas(({ filter }) => filter),
    addInputs: schemas(({ input, initial }) => (initial === undefined ? input : input?.default(initial))),
    changeInputs: schemas(({ input }) => (input instanceof z.ZodOptional ? input : input?.optional())),
  } as unknown as Resource<Of>;
}

type FieldsOf<Of extends Resource> = Of['fields'];

/** A row, as the database gives it: the names and types of its columns. */
export type Row<Of extends Resource> = {
  -readonly [Name in Having<FieldsOf<Of>, 'stored'>]: ValueOf<FieldsOf<Of>[Name]>;
};

type ValueOf<Of extends Field> = Of extends { stored: Column<infer Value> } ? Value : never;

export type Answer<Of extends Resource> = z.output<Of['answer']>;

/** The filters of a list; undefined does not filter. */
export type Filters<Of extends Resource> = {
  -readonly [Name in keyof Of['filters']]?: z.output<Of['filters'][Name] & z.ZodType> | undefined;
};

type Shown<Value> = Value | (string extends Value ? Date : never) | (undefined extends Value ? null : never);

/** The sources of an answer: a row, and what is computed. */
type ShownValues<Of extends Resource> = {
  [Name in keyof Of['answer']['shape']]: Shown<z.output<Of['answer']['shape'][Name] & z.ZodType>>;
};

/** The answer: what is declared as shown and nothing else, times as ISO 8601, and nothing for a field without a value. */
export function answerOf<Of extends Resource>({ answer }: Of, values: NoInfer<ShownValues<Of>>): Answer<Of> {
  const shown: Record<string, unknown> = {};
  for (const [name, schema] of Object.entries(answer.shape)) {
    const value = (values as Record<string, unknown>)[name];
    if (value === undefined || (value === null && !takesNull(schema))) continue;
    shown[name] = value instanceof Date ? value.toISOString() : value;
  }
  return shown as Answer<Of>;
}

function takesNull(schema: unknown): boolean {
  return schema instanceof z.ZodNullable || (schema instanceof z.ZodOptional && takesNull(schema.unwrap()));
}

type Storable<Of extends Field, Value> = Of extends { stored: Column<unknown, 'jsonb'> }
  ? string | Extract<Value, null>
  : Value;

/** The declared ones of these values, as the driver takes them: JSON as text, since a list would become an array of Postgres. */
export function storable<Of extends Resource, Values extends Partial<Row<Of>>>({ fields }: Of, values: Values) {
  const columns = Object.entries(values).flatMap(([name, value]) => {
    const type = fields[name]?.stored?.type;
    if (type === undefined || value === undefined) return [];
    return [[name, type === 'jsonb' && value !== null ? JSON.stringify(value) : value]];
  });
  return Object.fromEntries(columns) as {
    [Name in keyof Values & keyof Row<Of>]: Storable<FieldsOf<Of>[Name], Values[Name]>;
  };
}

type Given<Values> = { [Name in keyof Values]: Exclude<Values[Name], undefined> };

/** Those of these values that callers set: what a change stores, and what the audit log says of it. */
export function settable<Of extends Resource, Values extends object>({ changeInputs }: Of, values: Values) {
  const set = Object.keys(changeInputs).flatMap((name) => {
    const value = (values as Record<string, unknown>)[name];
    return value === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries(set) as Given<Pick<Values, Extract<keyof Values, keyof Of['changeInputs']>>>;
}

/** The fields that a call sets of a new one, and of one that there is. */
export type Additions<Of extends Resource> = z.output<z.ZodObject<Of['addInputs']>>;
export type Changes<Of extends Resource> = z.output<z.ZodObject<Of['changeInputs']>>;

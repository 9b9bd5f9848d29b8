type WithoutNulls<Fields> = { [Name in keyof Fields]?: NonNullable<Fields[Name]> };

/** A field without a value is left out of an answer. */
export function withoutNulls<Fields extends object>(fields: Fields): WithoutNulls<Fields> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)) as WithoutNulls<Fields>;
}

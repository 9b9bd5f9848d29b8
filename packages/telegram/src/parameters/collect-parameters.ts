/** Where parameters go as they are read. */
export type ParameterSink = Pick<Map<string, string>, 'has'> & { set(name: string, value: string): unknown };

/** A sink that keeps every value, also of a name that comes twice. */
export function parameterCollector(): ParameterSink & { values: ReadonlyMap<string, string[]> } {
  const values = new Map<string, string[]>();
  return {
    values,
    has: () => false,
    set(name, value) {
      const known = values.get(name);
      if (known === undefined) values.set(name, [value]);
      else known.push(value);
    },
  };
}

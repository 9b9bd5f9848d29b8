/** No method has a tenth of this number. While more are read, the process would do nothing else. */
export const MOST_PARAMETERS = 1000;

/** Where parameters go as they are read. */
export type ParameterSink = {
  /** To be asked once before each parameter. False if there are too many: reading ends. */
  hasRoom(): boolean;
  /** True if an earlier value of that name counts, so that the next is not needed. */
  has(name: string): boolean;
  set(name: string, value: string): unknown;
};

/** A sink that keeps every value, also of a name that comes twice. `isFull` is true if there were too many. */
export function parameterCollector(): ParameterSink & { values: ReadonlyMap<string, string[]>; isFull(): boolean } {
  const values = new Map<string, string[]>();
  let parameters = 0;
  return {
    values,
    isFull: () => parameters > MOST_PARAMETERS,
    hasRoom() {
      parameters += 1;
      return parameters <= MOST_PARAMETERS;
    },
    has: () => false,
    set(name, value) {
      const known = values.get(name);
      if (known === undefined) values.set(name, [value]);
      else known.push(value);
    },
  };
}

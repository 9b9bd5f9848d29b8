/** The fields that differ from what was known. Only these are sent, so that what others changed meanwhile stays. */
export function changedFields<Fields extends object>(fields: Fields, known: object): Partial<Fields> {
  const before = new Map<string, unknown>(Object.entries(known));
  const changed = Object.entries(fields).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before.get(name)),
  );
  return Object.fromEntries(changed) as Partial<Fields>;
}

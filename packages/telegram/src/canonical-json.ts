/** A value as JSON.parse found it, a number as its text, with the name of its member. Elements of a list have their index. */
type Visit = (name: string, value: unknown) => void;
type Reviver = (name: string, value: unknown, context: { source?: string }) => unknown;

// The types of ES2024 do not have the source of a value yet.
const parse = JSON.parse as (text: string, reviver: Reviver) => unknown;
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };

/**
 * JSON text written anew, so that every parser reads what was read here; numbers keep their digits. `visit` is called
 * for each member and element, before those that contain it. Null if the text is malformed.
 */
export function canonicalJson(text: string, visit: Visit): string | null {
  try {
    const value = parse(text, (name, value, { source }) => {
      const isNumber = typeof value === 'number' && source !== undefined;
      visit(name, isNumber ? source : value);
      return isNumber ? rawJSON(source) : value;
    });
    return JSON.stringify(value);
  } catch {
    return null;
  }
}

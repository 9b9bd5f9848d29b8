/** A number or a text as text, anything else as ''. An object of JSON may have no text of its own: `{"toString":null}`. */
export function scalarText(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

/**
 * A value as JSON for a parameter of a call. Half a surrogate pair becomes U+FFFD: the platform refuses a text with one
 * ("strings must be encoded in UTF-8").
 */
export function parameterJson(value: unknown): string {
  return JSON.stringify(value, (_name, inner) => (typeof inner === 'string' ? inner.toWellFormed() : inner));
}

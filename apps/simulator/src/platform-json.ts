/** JSON as the platform writes it: non-ASCII characters as \uXXXX (td:tdutils/td/utils/JsonBuilder.cpp). */
export function platformJson(value: unknown): string {
  const text = JSON.stringify(value);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the range is "not ASCII"
  return /[^\x00-\x7f]/.test(text) ? text.replace(/[^\x00-\x7f]/g, escapeUnit) : text;
}

function escapeUnit(unit: string): string {
  let escaped = '';
  for (let at = 0; at < unit.length; at += 1) escaped += `\\u${unit.charCodeAt(at).toString(16).padStart(4, '0')}`;
  return escaped;
}

/** The name of a file as a form has it between quotes. The platform decodes percent signs there, and takes \\ for an escape. */
export function quotable(name: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they could end the line
  return name.replace(/[\0-\x1f"%\\\x7f]/g, (sign) => `%${sign.charCodeAt(0).toString(16).padStart(2, '0')}`);
}

/**
 * What Node is started with to run one of our programs. By itself it lets an api's young garbage grow to 128 MB, as waiting
 * polls make it do; twice this size holds what calls leave behind, and is walked through no less quickly.
 */
export function nodeFlags(program: string): string[] {
  return program === 'api' ? ['--max-semi-space-size=16'] : [];
}

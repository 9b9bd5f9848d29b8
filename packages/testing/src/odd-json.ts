const DEEP = 100_000;
const WIDE = 80_000;

/** A message as the platform sends it; `text` is JSON, and `more` is appended as further fields. */
export function oddMessage(id: number, text: string, more = ''): string {
  const date = Math.floor(Date.now() / 1000);
  return `{"update_id":${id},\n"message":{"message_id":${id},"date":${date},"chat":{"id":5,"type":"private"},"from":{"id":5},"text":${text}${more}}}`;
}

/** Updates that could break or delay a JSON reader, each with a description of what is odd. */
export function oddUpdates(): [string, string][] {
  return [
    ['100,000 levels', oddMessage(1, '"deep"', `,"x":${'['.repeat(DEEP)}${']'.repeat(DEEP)}`)],
    ['100,000 objects', oddMessage(2, '"deep"', `,"x":${'{"a":'.repeat(DEEP)}1${'}'.repeat(DEEP)}`)],
    ['80,000 keys', oddMessage(3, '"wide"', `,"x":${keys(WIDE)}`)],
    [
      '__proto__ and constructor',
      oddMessage(4, '"p"', ',"__proto__":{"text":"q"},"constructor":{"prototype":{"a":1}}'),
    ],
    ['a key twice', oddMessage(5, '"first"', ',"text":"second"')],
    ['lone surrogates and escapes', oddMessage(6, '"\\ud800 \\u0000 \\u0041 \\ud83d\\ude00"')],
    ['digits beyond 2^53', oddMessage(7, '"n"', ',"x":[9007199254740993,9223372036854775807,1.0,1e2]')],
  ];
}

export function aMillionKeys(): string {
  return keys(1_000_000);
}

function keys(count: number): string {
  return `{${Array.from({ length: count }, (_, at) => `"k${at}":1`).join(',')}}`;
}

import { isUtf8 } from 'node:buffer';

/** The answer to a call, as it is given again. `headers` is raw: names and values by turns. */
export type KeptAnswer = { status: number; headers: string[]; body: Buffer };

export const KEPT_ANSWER_BYTES = 64 * 1024;

const KEPT_HEADERS = /^(?:content-type|content-language|access-control-.*)$/i;

/** Of these headers, those that the answer is read by. It is kept decompressed: whoever asks again may take no encoding. */
export function keptHeaders(raw: readonly string[]): string[] {
  const kept: string[] = [];
  for (let at = 0; at < raw.length; at += 2) {
    if (KEPT_HEADERS.test(raw[at] as string)) kept.push(raw[at] as string, raw[at + 1] as string);
  }
  return kept;
}

/** A line of JSON, and after it the body, in base64 if it is no UTF-8. */
export function storedAnswer({ status, headers, body }: KeptAnswer): string {
  const isText = isUtf8(body);
  const head = JSON.stringify({ status, headers, isText });
  return `${head}\n${body.toString(isText ? 'utf8' : 'base64')}`;
}

/** Null for '', which is stored for an answer that is not kept. */
export function readAnswer(stored: string): KeptAnswer | null {
  if (stored === '') return null;
  const end = stored.indexOf('\n');
  const { status, headers, isText } = JSON.parse(stored.slice(0, end)) as {
    status: number;
    headers: string[];
    isText: boolean;
  };
  return { status, headers, body: Buffer.from(stored.slice(end + 1), isText ? 'utf8' : 'base64') };
}

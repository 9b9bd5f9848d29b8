import { type Header, readHeader } from '@flotilla/redis/script-header.ts';
import { nameArguments } from '@flotilla/redis/script-names.ts';
import { headerOf, resolveNames, textsOf } from '@flotilla/redis/script-text.ts';

/** One script, or `lib/<name>`, with what it includes, as a text for EVAL. */
export function loadScript(path: string): string {
  return resolveNames(textsOf(path).join('\n'));
}

/** A script of a test, with its header, and before it a file of `lib/` and what that includes. */
export function scriptWith(lib: string, body: string): { text: string; header: Header } {
  const header = readHeader(body, (name) => headerOf(`lib/${name}`));
  return { text: resolveNames(`${loadScript(`lib/${lib}`)}\n${nameArguments(body, header, false)}`), header };
}

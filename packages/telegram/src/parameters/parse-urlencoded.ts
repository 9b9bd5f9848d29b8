import type { ParameterSink } from './collect-parameters.ts';
import { percentDecoded } from './percent-decoded.ts';

/**
 * Adds the fields of a query string or an urlencoded body to `values`. The first occurrence of a name wins. Nothing is
 * an error: text that cannot be decoded stays as it is.
 */
export function parseUrlEncoded(text: string, values: ParameterSink): void {
  let from = 0;
  while (from < text.length) {
    let end = text.indexOf('&', from);
    if (end === -1) end = text.length;
    if (end > from) addPair(text.slice(from, end), values);
    from = end + 1;
  }
}

function addPair(pair: string, values: ParameterSink): void {
  const equals = pair.indexOf('=');
  const name = decoded(equals === -1 ? pair : pair.slice(0, equals));
  if (!values.has(name)) values.set(name, equals === -1 ? '' : decoded(pair.slice(equals + 1)));
}

function decoded(text: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  return spaced.includes('%') ? percentDecoded(spaced) : spaced;
}

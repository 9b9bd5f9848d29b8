import type { ParameterSink } from './collect-parameters.ts';
import { percentDecodedBytes, textOfBytes } from './percent-decoded.ts';

/**
 * Adds the fields of a query string or an urlencoded body to `values`, as `HttpReader::parse_parameters` of the platform
 * reads them. The first occurrence of a name wins. Nothing is an error: bytes that are no escape stay as they are.
 */
export function parseUrlEncoded(body: Buffer, values: ParameterSink): void {
  const bytes = body.toString('latin1');
  let from = 0;
  while (from < bytes.length) {
    let end = bytes.indexOf('&', from);
    if (end === -1) end = bytes.length;
    addPair(bytes.slice(from, end), values);
    from = end + 1;
  }
}

function addPair(pair: string, values: ParameterSink): void {
  const equals = pair.indexOf('=');
  const name = decoded(equals === -1 ? pair : pair.slice(0, equals));
  if (!values.has(name)) values.set(name, equals === -1 ? '' : decoded(pair.slice(equals + 1)));
}

function decoded(bytes: string): string {
  return textOfBytes(percentDecodedBytes(bytes.includes('+') ? bytes.replaceAll('+', ' ') : bytes));
}

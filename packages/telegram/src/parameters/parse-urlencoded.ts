import type { ParameterSink } from './collect-parameters.ts';
import { decodedText } from './percent-decoded.ts';

const [AMPERSAND, EQUALS] = [0x26, 0x3d];

/**
 * Adds the fields of a query string or an urlencoded body to `values`, as `HttpReader::parse_parameters` of the platform
 * reads them. The first occurrence of a name wins. Nothing is an error: bytes that are no escape stay as they are.
 */
export function parseUrlEncoded(body: Buffer, values: ParameterSink): void {
  let from = 0;
  while (from < body.length && values.hasRoom()) {
    let equals = -1;
    let end = from;
    for (; end < body.length && body[end] !== AMPERSAND; end++) {
      if (body[end] === EQUALS && equals === -1) equals = end;
    }
    const name = decodedText(body, from, equals === -1 ? end : equals, true);
    if (!values.has(name)) values.set(name, equals === -1 ? '' : decodedText(body, equals + 1, end, true));
    from = end + 1;
  }
}

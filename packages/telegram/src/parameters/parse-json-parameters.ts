import { JsonReader } from '../platform-json.ts';
import type { ParameterSink } from './collect-parameters.ts';

/**
 * Adds the members of a JSON body to `values`, as `HttpReader::parse_json_parameters` of the platform reads them. Strings
 * are unescaped; every other value keeps its raw text. The first occurrence of a name wins. A malformed or cut-off body is
 * no error: the members before the fault are kept. A string is the parameter `content`; any other value has no members.
 */
export function parseJsonParameters(body: Buffer, values: ParameterSink): void {
  const json = new JsonReader(body);
  if (json.isAtString()) {
    const content = json.readString();
    if (content !== null && json.isAtEnd() && values.hasRoom()) add(values, 'content', content);
    return;
  }
  if (!json.skip('{')) return;
  while (!json.skip('}') && values.hasRoom()) {
    const name = json.readString();
    if (name === null || !json.skip(':')) return;
    const value = json.isAtString() ? json.readString() : json.readRaw();
    if (value === null) return;
    add(values, name, value);
    // A comma may stand before the closing brace.
    if (!json.skip(',') && !json.isAt('}')) return;
  }
}

function add(values: ParameterSink, name: string, value: string): void {
  if (!values.has(name)) values.set(name, value);
}

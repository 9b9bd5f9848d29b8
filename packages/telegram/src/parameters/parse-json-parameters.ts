import { scanMembers, unquoted } from '../json-text.ts';
import type { ParameterSink } from './collect-parameters.ts';

/**
 * Adds the members of a JSON body to `values` as the platform reads them. Strings are unescaped; every other value
 * keeps its raw text. The first occurrence of a name wins. A malformed or cut-off body is no error: the members before
 * the fault are kept. Anything but an object (telebot posts `null`) has no members.
 */
export function parseJsonParameters(text: string, values: ParameterSink): void {
  scanMembers(text, (name, raw) => {
    if (!values.has(name)) values.set(name, raw.startsWith('"') ? unquoted(raw) : raw);
  });
}

import { readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { dirname, join } from 'node:path';

/** A field of a parameter's JSON, or the parameter itself, with what the documentation says of it. */
export type DocumentedField = { of: string; name: string; type: string; text: string };
/** `fields`: those of all objects that its value may have in it, at any depth. */
export type DocumentedParameter = DocumentedField & { fields: DocumentedField[] };

/**
 * Every parameter of every method, from types that are made of the platform's documentation. `of` is the method, and for a
 * field the name of its object.
 */
export function documentedParameters(): DocumentedParameter[] {
  const objects = objectsIn(read('objects'));
  return [...read('params').matchAll(/^export interface (\w+)Params \{\n([\s\S]*?)^\}/gm)].flatMap(([, name, body]) =>
    fieldsIn(lowerFirst(name!), body!).map((field) => ({ ...field, fields: fieldsBelow(objects, field.type) })),
  );
}

/** The fields of an interface, or the objects that a union is of. */
type Documented = { fields: DocumentedField[]; others: string };

function objectsIn(text: string): Map<string, Documented> {
  const interfaces = [...text.matchAll(/^export interface Telegram(\w+)[^{\n]*\{\n([\s\S]*?)^\}/gm)];
  const unions = [...text.matchAll(/^export type Telegram(\w+) =([\s\S]*?)(?=^\/\*\*|^export )/gm)];
  const objects = new Map<string, Documented>();
  for (const [, name, body] of interfaces) objects.set(name!, { fields: fieldsIn(name!, body!), others: '' });
  for (const [, name, body] of unions) objects.set(name!, { fields: [], others: body! });
  return objects;
}

function fieldsIn(of: string, body: string): DocumentedField[] {
  return [...body.matchAll(/^ {4}\/\*\*([\s\S]*?)\*\/\s+(\w+)\??:([\s\S]*?)(?=^ {4}\/\*\*|$(?![\s\S]))/gm)].map(
    ([, text, name, type]) => ({ of, name: name!, type: type!.trim(), text: text!.replace(/\s*\*\s+/g, ' ').trim() }),
  );
}

function fieldsBelow(objects: Map<string, Documented>, type: string, seen = new Set<string>()): DocumentedField[] {
  return [...type.matchAll(/Telegram(\w+)/g)].flatMap(([, name]) => {
    const object = objects.get(name!);
    if (object === undefined || seen.has(name!)) return [];
    seen.add(name!);
    const { fields, others } = object;
    return [...fields, ...[others, ...fields.map((field) => field.type)].flatMap((t) => fieldsBelow(objects, t, seen))];
  });
}

function lowerFirst(name: string): string {
  return name.charAt(0).toLowerCase() + name.slice(1);
}

function read(file: 'objects' | 'params'): string {
  const folder = dirname(findPackageJSON('@gramio/types', import.meta.url)!);
  return readFileSync(join(folder, 'out', `${file}.d.ts`), 'utf8');
}

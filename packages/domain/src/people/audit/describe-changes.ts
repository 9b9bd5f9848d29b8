import { redactSecrets } from '@flotilla/runtime/logger.ts';

/** Longer values are cut, because an entry says what changed and is no copy. */
const VALUE_LENGTH = 200;

/**
 * How a field's value is shown. `hidden` says only that it changed; a function returns the value without its secrets. In
 * fields without an entry, text that looks like a secret is redacted, because somebody will put a secret into a name or a
 * description.
 */
export type Shown<Fields> = { readonly [Name in keyof Fields]?: 'hidden' | ((value: Fields[Name]) => unknown) };

/**
 * The changed fields, as `field: old → new; …`, or '' if none changed. A field without an old value, as in a new
 * object, shows its new value alone. Of an object, each of its fields is named: `filter.keyword: "a" → "b"`.
 */
export function describeChanges<Fields extends object>(
  before: Partial<Fields>,
  after: Fields,
  shown: Shown<Fields> = {},
): string {
  const names = Object.keys(after) as (keyof Fields & string)[];
  const changed = names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  return changed
    .flatMap((name) => {
      const [old, now, how] = [before[name], after[name], shown[name]];
      if (how === 'hidden') return `${name} ${isUnset(old) ? 'set' : isUnset(now) ? 'removed' : 'changed'}`;
      const show = (value: Fields[typeof name] | undefined) =>
        value === undefined || how === undefined ? value : how(value);
      return describeField(name, show(old), show(now), how === undefined ? redactSecrets : asIs);
    })
    .join('; ');
}

function describeField(name: string, old: unknown, now: unknown, redact: Redact): string[] {
  const isSplit = hasFields(old) || hasFields(now);
  const [from, to] = [old, now].map(
    (value) => new Map(isSplit ? textsOf(name, value, redact) : [textOf(name, value, redact)]),
  );
  if (old === undefined) return [...to!].map(([path, text]) => `${path}: ${text}`);
  const paths = [...new Set([...from!.keys(), ...to!.keys()])];
  const changed = paths.filter((path) => from!.get(path) !== to!.get(path));
  if (changed.length > 0)
    return changed.map((path) => `${path}: ${from!.get(path) ?? NONE} → ${to!.get(path) ?? NONE}`);
  return [isSplit ? `${name} changed` : `${name}: ${to!.get(name)}, in a part that is not shown`];
}

const NONE = 'null';

type Redact = (text: string) => string;

const asIs: Redact = (text) => text;

function hasFields(value: unknown): value is object {
  return typeof value === 'object' && value?.constructor === Object && Object.keys(value).length > 0;
}

/** The fields of an object, also those of objects in it; none where there is no object. */
function textsOf(path: string, value: unknown, redact: Redact): [path: string, text: string][] {
  if (!hasFields(value)) return [];
  return Object.entries(value)
    .filter(([, one]) => one !== undefined)
    .flatMap(([key, one]) =>
      hasFields(one) ? textsOf(`${path}.${key}`, one, redact) : [textOf(`${path}.${key}`, one, redact)],
    );
}

/** Some secrets are known by the name of their field alone. */
function textOf(path: string, value: unknown, redact: Redact): [path: string, text: string] {
  const name = path.slice(path.lastIndexOf('.') + 1);
  return [path, cut(redact(JSON.stringify({ [name]: value ?? null })).slice(JSON.stringify(name).length + 2, -1))];
}

/** The fields of something new that have a value, or an object with fields. */
export function describeNew<Fields extends object>(fields: Fields, shown: Shown<Fields> = {}): string {
  const set = Object.entries(fields).filter(([, value]) => !isUnset(value) && JSON.stringify(value) !== '{}');
  return describeChanges<Fields>({}, Object.fromEntries(set) as Fields, shown);
}

function isUnset(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

function cut(text: string): string {
  return text.length > VALUE_LENGTH ? `${text.slice(0, VALUE_LENGTH)}…` : text;
}

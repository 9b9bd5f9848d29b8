import { redactSecrets } from '@flotilla/runtime/logger.ts';

/** Longer values are cut, because an entry says what changed and is no copy. */
const VALUE_LENGTH = 200;

/**
 * How a field's value is shown. `hidden` says only that it changed. In fields without an entry, text that looks like a
 * secret is redacted, because somebody will put a secret into a name or a description.
 */
export type Shown<Fields> = { readonly [Name in keyof Fields]?: 'hidden' | ((value: Fields[Name]) => string) };

/**
 * The changed fields, as `field: old → new; …`, or '' if none changed. A field without an old value, as in a new
 * object, shows its new value alone.
 */
export function describeChanges<Fields extends object>(
  before: Partial<Fields>,
  after: Fields,
  shown: Shown<Fields> = {},
): string {
  const names = Object.keys(after) as (keyof Fields & string)[];
  const changed = names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  return changed
    .map((name) => {
      const [old, now, how] = [before[name], after[name], shown[name]];
      if (how === 'hidden') return `${name} ${isUnset(old) ? 'set' : isUnset(now) ? 'removed' : 'changed'}`;
      const show = (value: Fields[typeof name]) =>
        cut(how === undefined ? redactSecrets(JSON.stringify(value)) : how(value));
      if (old === undefined) return `${name}: ${show(now)}`;
      const [from, to] = [show(old as Fields[typeof name]), show(now)];
      return from === to ? `${name}: ${to}, in a part that is not shown` : `${name}: ${from} → ${to}`;
    })
    .join('; ');
}

/** The fields of something new that have a value. */
export function describeNew<Fields extends object>(fields: Fields, shown: Shown<Fields> = {}): string {
  const set = Object.entries(fields).filter(([, value]) => !isUnset(value));
  return describeChanges<Fields>({}, Object.fromEntries(set) as Fields, shown);
}

function isUnset(value: unknown): boolean {
  return value === undefined || value === null || value === '';
}

function cut(text: string): string {
  return text.length > VALUE_LENGTH ? `${text.slice(0, VALUE_LENGTH)}…` : text;
}

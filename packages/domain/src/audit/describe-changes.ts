import { redactSecrets } from '@flotilla/runtime/logger.ts';

/** Longer values are cut: an entry says what changed and is not a copy. */
const VALUE_LENGTH = 200;

/**
 * How much of a field's value is shown: `hidden` only says that it changed. Of others what looks like a secret is blanked:
 * nobody should put one into a name or a description, and somebody will.
 */
export type Shown<Fields> = { readonly [Name in keyof Fields]?: 'hidden' | ((value: Fields[Name]) => string) };

/**
 * What differs, as `field: old → new; …`; nothing differs: ''. A field that was not there before, as of what is new, has
 * its value alone.
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

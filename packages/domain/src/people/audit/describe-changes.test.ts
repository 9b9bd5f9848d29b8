import { describe, expect, test } from '@jest/globals';
import { describeChanges, describeNew } from './describe-changes.ts';

describe('changes', () => {
  test('are named with what was and what is, and what stayed is not', () => {
    const before = { name: 'a', on: false, kinds: null as string[] | null, size: 1 };
    const after: typeof before = { name: 'b', on: true, kinds: ['x'], size: 1 };
    expect(describeChanges(before, after)).toBe('name: "a" → "b"; on: false → true; kinds: null → ["x"]');
    expect(describeChanges(after, after)).toBe('');
  });

  test('of what is hidden are named without any value', () => {
    const hidden = { secret: 'hidden' } as const;
    expect(describeChanges({ secret: 'one' }, { secret: 'two' }, hidden)).toBe('secret changed');
    expect(describeChanges({ secret: '' }, { secret: 'two' }, hidden)).toBe('secret set');
    expect(describeChanges({ secret: 'one' }, { secret: '' }, hidden)).toBe('secret removed');
  });

  test('in a part that is not shown are still changes', () => {
    const shown = { url: (url: string) => new URL(url).host };
    expect(describeChanges({ url: 'http://a/1' }, { url: 'http://b/1' }, shown)).toBe('url: "a" → "b"');
    expect(describeChanges({ url: 'http://a/1' }, { url: 'http://a/2' }, shown)).toBe(
      'url: "a", in a part that is not shown',
    );
    const ofObject = { at: ({ url }: { url: string }) => ({ url: new URL(url).host }) };
    expect(describeChanges({ at: { url: 'http://a/1' } }, { at: { url: 'http://a/2' } }, ofObject)).toBe('at changed');
  });

  test('are cut where values are long, and blank what looks like a secret', () => {
    const [before, after] = [{ text: 'short' }, { text: 'long '.repeat(1000) }];
    expect(describeChanges(before, after)).toMatch(/^text: "short" → "(long ){39}long…$/);
    const token = { text: '123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw' };
    expect(describeChanges(before, token)).toBe('text: "short" → "123456789:[redacted]"');
  });

  test('of objects name each field that changed', () => {
    type Filter = { keyword?: string; chats?: number[]; of?: { state: string } } | null;
    const change = (before: Filter, after: Filter) => describeChanges({ filter: before }, { filter: after });
    expect(change({ keyword: 'a', chats: [1] }, { keyword: 'b', chats: [1] })).toBe('filter.keyword: "a" → "b"');
    expect(change({}, { of: { state: 'failed' } })).toBe('filter.of.state: null → "failed"');
    expect(change({ chats: [1] }, null)).toBe('filter.chats: [1] → null');
    expect(change({}, null)).toBe('filter: {} → null');
    expect(describeNew({ filter: { keyword: 'a', chats: [1, 2] } })).toBe('filter.keyword: "a"; filter.chats: [1,2]');
    expect(describeNew({ filter: { secret_token: 'abc' } })).toBe('filter.secret_token: "[redacted]"');
  });

  test('stay on one line, whatever a value holds', () => {
    expect(describeChanges({ text: '' }, { text: 'one\ntwo; name: "x"' })).toBe(
      'text: "" → "one\\ntwo; name: \\"x\\""',
    );
  });
});

test('what is new is named without the fields that have no value', () => {
  expect(describeNew({ name: 'a', note: '', target: null, on: false })).toBe('name: "a"; on: false');
});

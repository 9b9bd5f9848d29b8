import { describe, expect, test } from '@jest/globals';
import { checkCall, checkParameter } from './check-call.ts';

const LIMITS = { chats: new Set([42]), threads: null, named: new Set(['send']), maySpend: false, mayNameFiles: false };
const outcomeOf = (parameters: Record<string, string[]>) =>
  checkCall(LIMITS, 'sendmediagroup', new Map(Object.entries({ chat_id: ['42'], ...parameters }))).outcome;
const list = (elements: number) => `[${Array(elements).fill('1').join()}]`;

describe('JSON that is written anew', () => {
  test('may have as many elements as the longest calls', () => {
    expect(outcomeOf({ media: [list(8_000)] })).toBe('allowed');
  });

  test.each([
    ['in a list', list(12_000)],
    ['in lists', `[${Array(6_000).fill('[]').join()}]`],
    ['in objects', `[${Array(6_000).fill('{}').join()}]`],
    ['in depth', '['.repeat(12_000) + ']'.repeat(12_000)],
  ])('is refused with too many elements, %s', (_, value) => {
    expect(checkParameter(LIMITS, 'media', value).outcome).toBe('refused');
    expect(checkParameter(LIMITS, 'reply_parameters', `{"quote_entities":${value},"message_id":1}`).outcome).toBe(
      'refused',
    );
  });

  test('is refused if many values together have too many elements', () => {
    expect(outcomeOf({ media: Array(10).fill(list(2000)) })).toBe('refused');
    expect(outcomeOf({ media: [list(6_000)], options: [list(6_000)] })).toBe('refused');
  });
});

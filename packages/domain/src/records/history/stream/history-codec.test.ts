import { describe, expect, test } from '@jest/globals';
import { decodeRecord, encodeLink } from './history-codec.ts';

const OWNER = { botId: 7, registrationId: 'r1' };
const ORIGIN = { key: '3:5-0', ...OWNER, atMs: 99 };
const decode = (record: string[]) => decodeRecord(3, '5-0', record);
const message = (botId: number) => ({ botId, chatId: -100, messageId: 5, businessConnectionId: '' });

describe('a record is read as it was written', () => {
  test.each([
    [
      'call',
      ['p', '{"chat_id":"5"}', 'r', '{"message_id":1}'],
      { params: { chat_id: '5' }, result: '{"message_id":1}' },
    ],
    ['audited call', ['p', '{}', 'r', 'true', 'c', 'call:p:1'], { params: {}, result: 'true', captureKey: 'call:p:1' }],
    ['call with parameters missing', ['p', '{}', 'r', '1', 'n', 'why'], { params: {}, result: '1', incomplete: 'why' }],
    [
      'call of an account',
      ['p', '{}', 'r', '1', 'u', '{"accountId":4}'],
      { params: {}, result: '1', actor: { accountId: 4 } },
    ],
  ])('%s', (_, fields, call) => {
    const record = ['t', 'call', 'b', '7', 'g', 'r1', 'a', '99', 'm', 'sendmessage', ...fields];
    expect(decode(record)).toEqual({ ...ORIGIN, type: 'call', method: 'sendmessage', ...call });
  });

  test('link', () => {
    const link = { source: message(7), target: message(8) };
    expect(decode(encodeLink(OWNER, link, 99))).toEqual({ ...ORIGIN, type: 'link', link });
  });
});

// Other releases read the same stream, so these stored fields must not change.
describe('the names in Redis stay', () => {
  test.each([
    [
      'a link',
      ['t', 'link', 'b', '7', 'g', 'r1', 'a', '99', 'l', JSON.stringify({ source: message(7), target: message(8) })],
      encodeLink(OWNER, { source: message(7), target: message(8) }, 99),
    ],
  ])('of %s', (_, expected, record) => {
    expect(record).toEqual(expected);
  });

  test('of an update', () => {
    const record = ['t', 'update', 'b', '7', 'g', 'r1', 'a', '99', 'i', '12', 'u', '{"update_id":12}', 'tp', '00-a'];
    expect(decode(record)).toEqual({
      ...ORIGIN,
      type: 'update',
      updateId: 12,
      raw: '{"update_id":12}',
      traceparent: '00-a',
    });
  });

  test('of an update that was given up', () => {
    const known = [
      't',
      'dead',
      'b',
      '7',
      'g',
      'r1',
      'a',
      '99',
      'i',
      '12',
      'u',
      '{}',
      'd',
      'push',
      'w',
      'why',
      'c',
      '3',
    ];
    const dead = { ...ORIGIN, type: 'dead', updateId: 12, raw: '{}', reader: 'push', exclusive: false };
    const failure = { reason: 'why', attempts: 3, lastStatus: null, firstFailedAtMs: null, lastFailedAtMs: null };
    expect(decode(known)).toEqual({
      ...dead,
      failure: { ...failure, code: 'unknown', destinations: [], excerpt: null },
    });
    const times = ['firstFailedAt', '10', 'lastFailedAt', '20', 'destinations', '[]', 'excerpt', 'oops'];
    expect(decode([...known, 'exclusive', '0'])).toMatchObject({ exclusive: false });
    expect(decode([...known, 's', '500', 'code', 'refused', ...times, 'exclusive', '1'])).toEqual({
      ...dead,
      exclusive: true,
      failure: {
        ...failure,
        code: 'refused',
        lastStatus: 500,
        firstFailedAtMs: 10,
        lastFailedAtMs: 20,
        destinations: [],
        excerpt: 'oops',
      },
    });
  });
});

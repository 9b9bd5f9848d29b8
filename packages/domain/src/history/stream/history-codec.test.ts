import { describe, expect, test } from '@jest/globals';
import { decodeRecord, encodeCall, encodeLink } from './history-codec.ts';

const OWNER = { botId: 7, registrationId: 'r1' };
const ORIGIN = { key: '3:5-0', ...OWNER, atMs: 99 };
const decode = (record: string[]) => decodeRecord(3, '5-0', record);
const message = (botId: number) => ({ botId, chatId: -100, messageId: 5, businessConnectionId: '' });

describe('a record is read as it was written', () => {
  test.each([
    ['call', { method: 'sendmessage', params: { chat_id: '5' }, result: '{"message_id":1}', atMs: 99, id: '' }, {}],
    ['audited call', { method: 'deletemessage', params: {}, result: 'true', atMs: 99, id: 'call:p:1' }, {}],
    ['call of an account', { method: 'x', params: {}, result: '1', atMs: 99, id: '' }, { actor: { accountId: 4 } }],
  ])('%s', (_, seen, actor) => {
    const { id, atMs: _at, ...call } = seen;
    const callId = id === '' ? {} : { callId: id };
    expect(decode(encodeCall(OWNER, { ...seen, ...actor }))).toEqual({
      ...ORIGIN,
      type: 'call',
      ...call,
      ...actor,
      ...callId,
    });
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
      'a call',
      ['t', 'call', 'b', '7', 'g', 'r1', 'a', '99', 'm', 'sendmessage', 'p', '{}', 'r', '1', 'u', '{}', 'c', 'id'],
      encodeCall(OWNER, { method: 'sendmessage', params: {}, result: '1', actor: {}, atMs: 99, id: 'id' }),
    ],
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
    const dead = { ...ORIGIN, type: 'dead', updateId: 12, raw: '{}', reader: 'push', taken: null };
    const failure = { reason: 'why', attempts: 3, lastStatus: null, firstFailedAtMs: null, lastFailedAtMs: null };
    expect(decode(known)).toEqual({
      ...dead,
      failure: { ...failure, code: 'unknown', destinations: [], excerpt: null },
    });
    const times = ['firstFailedAt', '10', 'lastFailedAt', '20', 'destinations', '[]', 'excerpt', 'oops'];
    expect(decode([...known, 'taken', '0'])).toMatchObject({ taken: false });
    expect(decode([...known, 's', '500', 'code', 'refused', ...times, 'taken', '1'])).toEqual({
      ...dead,
      taken: true,
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

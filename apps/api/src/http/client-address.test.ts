import type { IncomingMessage } from 'node:http';
import { expect, test } from '@jest/globals';
import { clientAddress } from './client-address.ts';

const of = clientAddress(['10.0.0.0/8']);
const request = (remoteAddress: string | undefined, forwarded?: string) => {
  const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
  return { headers, socket: { remoteAddress } } as unknown as IncomingMessage;
};

test.each([
  ['192.0.2.7', undefined, '192.0.2.7'],
  ['::ffff:192.0.2.7', undefined, '192.0.2.7'],
  ['2001:db8::7', undefined, '2001:db8::7'],
  ['192.0.2.7', '203.0.113.9', '192.0.2.7'],
  ['10.0.0.3', '203.0.113.9', '203.0.113.9'],
  ['::ffff:10.0.0.3', '203.0.113.9, 10.0.0.4', '203.0.113.9'],
  ['10.0.0.3', '198.51.100.1, 203.0.113.9', '203.0.113.9'],
  [undefined, undefined, null],
])('from %s, forwarded for %s, it is %s', (remote, forwarded, address) => {
  expect(of(request(remote, forwarded))).toBe(address);
});

test('what is no address is kept in part', () => {
  expect(of(request('10.0.0.3', 'x'.repeat(100)))).toBe('x'.repeat(64));
});

import { expect, test } from '@jest/globals';
import { forwardedRequestHeaders, forwardedResponseHeaders } from './hop-by-hop.ts';

test('headers of the hop go, all others keep their names, order and repetitions', () => {
  const raw = [
    'HOST',
    'x',
    'X-A',
    '1',
    'Connection',
    'Keep-Alive, X-Drop',
    'x-a',
    '2',
    'X-DROP',
    '3',
    'TE',
    'trailers',
  ];
  const more = ['Transfer-Encoding', 'chunked', 'Upgrade', 'h2c', 'Proxy-Authorization', 'p', 'Expect', '100-continue'];
  const kept = ['Content-Type', 'application/json', 'Content-Length', '2'];
  expect(forwardedRequestHeaders([...raw, ...more, ...kept])).toEqual(['X-A', '1', 'x-a', '2', ...kept]);
});

test('a Connection header cannot take the length of a message away', () => {
  const raw = ['Connection', 'close, content-length, content-type', 'Content-Length', '2', 'Content-Type', 'a/b'];
  expect(forwardedRequestHeaders(raw)).toEqual(['Content-Length', '2', 'Content-Type', 'a/b']);
});

test('an answer keeps its bytes and loses only what belongs to the hop', () => {
  const raw = ['Server', 'n\xfcx', 'Keep-Alive', 'timeout=5', 'Set-Cookie', 'a', 'Set-Cookie', 'b'];
  expect(forwardedResponseHeaders(raw.map((text) => Buffer.from(text, 'latin1')))).toEqual([
    'Server',
    'n\xfcx',
    'Set-Cookie',
    'a',
    'Set-Cookie',
    'b',
  ]);
});

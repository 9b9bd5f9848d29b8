import type { IncomingMessage } from 'node:http';
import { describe, expect, test } from '@jest/globals';
import { contentType, forwardedRequestHeaders, forwardedResponseHeaders } from './headers.ts';

test('a Content-Type is trimmed as the platform does it: a no-break space belongs to the boundary', () => {
  const typeOf = (value: string) => contentType({ rawHeaders: ['Content-Type', value] } as IncomingMessage);
  expect(typeOf(' multipart/form-data; boundary=b\t')).toBe('multipart/form-data; boundary=b');
  expect(typeOf('multipart/form-data; boundary=b\xa0')).toBe('multipart/form-data; boundary=b\xa0');
});

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

const SANDBOX = ['Content-Security-Policy', "sandbox; default-src 'none'", 'X-Content-Type-Options', 'nosniff'];
const answered = (raw: string[]) => forwardedResponseHeaders(raw.map((text) => Buffer.from(text, 'latin1')));

test('an answer keeps its bytes and loses what belongs to the hop', () => {
  const kept = ['Server', 'n\xfcx', 'Link', 'a', 'Link', 'b'];
  expect(answered([...kept, 'Keep-Alive', 'timeout=5'])).toEqual([...kept, ...SANDBOX]);
});

test('an answer sets no cookie, and says of scripts what we say, whatever the platform says', () => {
  const platform = ['Set-Cookie', 'a=1', 'set-cookie', 'b=2', 'content-security-policy', "script-src 'self'"];
  const more = ['X-CONTENT-TYPE-OPTIONS', 'none', 'Connection', 'X-Content-Type-Options, Content-Security-Policy'];
  expect(answered(['A', '1', ...platform, ...more])).toEqual(['A', '1', ...SANDBOX]);
});

describe('what an answer of the platform says beyond itself does not reach browsers or web servers', () => {
  test.each([
    ...['Set-Cookie', 'Set-Cookie2', 'Set-Login', 'Sec-Session-Registration', 'Secure-Session-Challenge'],
    ...['Strict-Transport-Security', 'Public-Key-Pins', 'Public-Key-Pins-Report-Only', 'Expect-CT', 'Alt-Svc'],
    ...['Service-Worker-Allowed', 'Clear-Site-Data', 'Origin-Agent-Cluster', 'Accept-CH', 'Critical-CH'],
    ...['Use-As-Dictionary', 'NEL', 'Report-To', 'Reporting-Endpoints', 'Referrer-Policy', 'Refresh'],
    ...['Speculation-Rules', 'Content-Security-Policy-Report-Only', 'X-Accel-Redirect', 'X-Sendfile'],
  ])('%s', (name) => {
    expect(answered(['A', '1', name, 'x', name.toLowerCase(), 'y', 'B', '2'])).toEqual([
      'A',
      '1',
      'B',
      '2',
      ...SANDBOX,
    ]);
  });

  test.each([
    ...['Access-Control-Allow-Origin', 'Access-Control-Expose-Headers', 'Link', 'Location', 'Content-Location'],
    ...['Cache-Control', 'Vary', 'ETag', 'Accept-Ranges', 'Content-Range', 'Content-Disposition', 'Content-Language'],
    ...['Permissions-Policy', 'Cross-Origin-Resource-Policy', 'X-Frame-Options', 'Server-Timing', 'SourceMap'],
    ...['Timing-Allow-Origin', 'Retry-After', 'WWW-Authenticate', 'Server', 'Date', 'X-Request-Id'],
  ])('but %s, which is about the answer alone, does', (name) => {
    expect(answered([name, 'x'])).toEqual([name, 'x', ...SANDBOX]);
  });
});

describe('our own credentials do not leave, and others keep their bytes', () => {
  const session = 'session=s%3Aid.signature';
  test.each<[name: string, value: string, passed: string | null]>([
    ['Cookie', session, null],
    ['cookie', `${session};`, null],
    ['Cookie', `a=1; ${session}; b="x;y"`, 'a=1; b="x;y"'],
    ['COOKIE', `${session}; a=1`, 'a=1'],
    ['Cookie', `a=1;${session}`, 'a=1'],
    ['Cookie', ` a=1 ;  ${session} ;b=\xfc `, 'a=1 ;b=\xfc'],
    ['Cookie', `${session}; session=another; session =third`, null],
    ['Cookie', 'sessions=1; Session=2; my_session=3; x=session=4; session', 'same'],
    ['Cookie', '', 'same'],
    ['Authorization', 'Bearer flt_0123456789', null],
    ['authorization', 'bEARER  flt_0123456789', null],
    ['Authorization', 'Bearer FLT_0123456789', 'same'],
    ['Authorization', 'Bearer eyJhbGciOiJub25lIn0.flt_', 'same'],
    ['Authorization', 'Basic flt_0123456789', 'same'],
    ['Authorization', 'flt_0123456789', 'same'],
    ['X-Authorization', 'Bearer flt_0123456789', 'same'],
  ])('%s: %s', (name, value, passed) => {
    const kept = passed === 'same' ? [name, value] : passed === null ? [] : [name, passed];
    expect(forwardedRequestHeaders(['A', '1', name, value, 'B', '2'])).toEqual(['A', '1', ...kept, 'B', '2']);
  });

  test('in each of several headers of a name', () => {
    const raw = ['Cookie', session, 'Cookie', 'a=1', 'Authorization', 'Bearer flt_1', 'Authorization', 'Basic x'];
    expect(forwardedRequestHeaders(raw)).toEqual(['Cookie', 'a=1', 'Authorization', 'Basic x']);
  });
});

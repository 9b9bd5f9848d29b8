import { expect, test } from '@jest/globals';
import { parseProxyUrl, shownProxy } from './proxy-url.ts';

test.each([
  ['http://proxy', { scheme: 'http', host: 'proxy', port: 80, login: null }],
  ['https://proxy.example.com/', { scheme: 'https', host: 'proxy.example.com', port: 443, login: null }],
  ['socks5://10.0.0.1', { scheme: 'socks5', host: '10.0.0.1', port: 1080, login: null }],
  ['http://[fd00::1]:3128', { scheme: 'http', host: 'fd00::1', port: 3128, login: null }],
  ['socks5://u%40d:p%3A%2Fw@h:1', { scheme: 'socks5', host: 'h', port: 1, login: { user: 'u@d', password: 'p:/w' } }],
  ['https://only@h', { scheme: 'https', host: 'h', port: 443, login: { user: 'only', password: '' } }],
])('%s is read', (text, target) => {
  expect(parseProxyUrl(text)).toEqual(target);
});

test.each([
  ['no scheme', 'proxy:3128', /must be http:\/\/host/],
  ['another scheme', 'socks4://u:hunter2@proxy', /must be http:\/\/host/],
  ['a scheme of another program', 'socks5h://u:hunter2@proxy', /must be http:\/\/host/],
  ['no host', 'socks5://', /must be http:\/\/host/],
  ['a port that is none', 'http://u:hunter2@proxy:99999', /must be http:\/\/host/],
  ['port 0', 'http://u:hunter2@proxy:0', /from 1 to 65535/],
  ['a path', 'http://u:hunter2@proxy:3128/path', /nothing may follow/],
  ['a slash in the password', 'socks5://u:hun/ter2@proxy', /%2F/],
  ['a # in the password', 'http://u:#hunter2@proxy', /%23/],
  ['a % in the password', 'http://u:hunter2%@proxy', /%25/],
  ['a password without a user', 'socks5://:hunter2@proxy', /without a user/],
  ['a password too long for SOCKS', `socks5://u:${'hunter2'.repeat(40)}@proxy`, /255 bytes/],
  ['a user that HTTP cannot send', 'http://u%3Av:hunter2@proxy', /no colon/],
])('%s is refused with the reason, and no password is quoted', (_what, text, reason) => {
  const faultOf = () => {
    try {
      parseProxyUrl(text);
    } catch (error) {
      return (error as Error).message;
    }
    return 'was accepted';
  };
  expect(faultOf()).toMatch(reason);
  expect(faultOf()).not.toMatch(/hun/);
});

test('is shown without user and password', () => {
  expect(shownProxy(parseProxyUrl('socks5://u:hunter2@proxy'))).toBe('socks5://proxy:1080');
  expect(shownProxy(parseProxyUrl('http://[fd00::1]:3128'))).toBe('http://[fd00::1]:3128');
});

import { expect, test } from '@jest/globals';
import { parseUpstreams } from './upstreams-setting.ts';

test('TELEGRAM_UPSTREAMS names servers with their options, and those that name no proxy have the shared one', () => {
  const shared = { scheme: 'http', host: 'way-out', port: 3128, login: null } as const;
  const servers = parseUpstreams(
    'local=http://bot-api:8081/;files=/var/lib/telegram-bot-api/;uploads=/srv/media;webhook=http://flotilla-api:8080/;proxy=direct, eu = https://api.telegram.org ; proxy=socks5://me:pa%2Css@host:1080 ,plain=https://other.example/bots',
    shared,
  );
  expect([...servers.values()]).toEqual([
    {
      ...{ name: 'local', url: 'http://bot-api:8081', proxy: null, webhook: 'http://flotilla-api:8080' },
      ...{ files: '/var/lib/telegram-bot-api', uploads: '/srv/media' },
    },
    {
      ...{ name: 'eu', url: 'https://api.telegram.org', webhook: '', files: '', uploads: '' },
      proxy: {
        ...{ scheme: 'socks5', host: 'host', port: 1080, login: { user: 'me', password: 'pa,ss' } },
        setting: 'TELEGRAM_UPSTREAMS',
      },
    },
    { name: 'plain', url: 'https://other.example/bots', proxy: shared, webhook: '', files: '', uploads: '' },
  ]);
  expect(parseUpstreams('').size).toBe(0);
});

test.each([
  ['a=http://x, a=http://y', 'a: there are two of this name'],
  ['default=http://x', 'default: is the name of the server in TELEGRAM_API_URL'],
  ['a=http://x, b=ftp://files', 'entry 2: its URL must begin with http:// or https://'],
  ['http://x', 'must be name=url'],
  ['Big=http://x', 'entry 1: must be name=url'],
  ['a=http://me:hidden@x', 'a: its URL must have no user and password'],
  ['a=http://x?key=hidden', 'a: its URL must have no query'],
  ['a=http://x;colour=hidden', 'a: has an option that is none of files, uploads, webhook and proxy'],
  ['a=http://x;socks5://me:hidden@host', 'a: has an option that is none of'],
  ['a=http://x;proxy=socks5://me:pa,hidden=word@host', 'entry 2: its URL must begin'],
  ['a=http://x;proxy=socks5://me:pa;hidden=word@host', 'a: proxy must be http://host:port'],
  ['a=http://x;proxy=socks4://me:hidden@host', 'a: proxy must be http://host:port'],
  ['a=http://x;proxy=direct;proxy=direct', 'a: an option stands there twice'],
  ['a=http://x;files=media', 'a: files must be an absolute path'],
  ['a=http://x;files=/', 'a: files must not be the whole disk'],
  ['a=http://x;files=/var/../etc', 'a: files must be a plain path'],
  ['a=http://x;files=http://me:hidden@x', 'a: files must have no user and password'],
  ['a=http://x;uploads=http://x', 'a: uploads must be an absolute path'],
  ['a=http://x;webhook=flotilla', 'a: webhook must begin with http:// or https://'],
])('a server that cannot be is named, without what may be secret: %s', (text, said) => {
  const parse = () => parseUpstreams(text);
  expect(parse).toThrow(said);
  expect(parse).not.toThrow(/hidden/);
});

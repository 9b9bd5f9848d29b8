import { describe, expect, test } from '@jest/globals';
import { isBotApiPath, parseBotPath } from './path.ts';

const TOKEN = '1000:AAbb_cc-dd';
const parse = (url: string) => parseBotPath(url, '/tgapi');

describe('a method path', () => {
  test.each([
    [`/tgapi/bot${TOKEN}/getMe`, 'getme', `/bot${TOKEN}/getMe`],
    [`/bot${TOKEN}/getMe`, 'getme', `/bot${TOKEN}/getMe`],
    [`/tgapi/bot${TOKEN}/setWebHook?url=`, 'setwebhook', `/bot${TOKEN}/setWebHook?url=`],
    [`/tgapi/bot${TOKEN}/test/getMe`, 'getme', `/bot${TOKEN}/test/getMe`],
    [`/tgapi/bot1000%3AAAbb_cc-dd/getMe`, 'getme', '/bot1000%3AAAbb_cc-dd/getMe'],
    [`/tgapi/bot${TOKEN}/get%55pdates`, 'getupdates', `/bot${TOKEN}/get%55pdates`],
    [`/tgapi/bot${TOKEN}%2FgetUpdates`, 'getupdates', `/bot${TOKEN}%2FgetUpdates`],
    [`/tgapi/bot${TOKEN}/getMe/`, 'getme/', `/bot${TOKEN}/getMe/`],
    [`/tgapi/bot${TOKEN}/`, '', `/bot${TOKEN}/`],
    [`/tgapi/bot${TOKEN}`, '', `/bot${TOKEN}`],
    [`/tgapi/bot${TOKEN}/?method=getMe`, '', `/bot${TOKEN}/?method=getMe`],
  ])('%s has its token, its method in lower case, and its own bytes for the platform', (url, method, upstreamPath) => {
    expect(parse(url)).toMatchObject({ kind: 'method', token: TOKEN, method, upstreamPath });
  });

  test('keeps its query string raw', () => {
    expect(parse(`/bot${TOKEN}/sendMessage?text=a%20b+c&x=?y`)).toMatchObject({ query: 'text=a%20b+c&x=?y' });
  });

  test('keeps a malformed escape as it is', () => {
    expect(parse(`/bot${TOKEN}/get%zzMe%D0`)).toMatchObject({ method: expect.stringContaining('get%zzme') });
  });
});

describe('a file path', () => {
  test.each([
    `/tgapi/file/bot${TOKEN}/photos/f.jpg`,
    `/file/bot${TOKEN}/photos%2Ff.jpg`,
    '/file/bot1000%3AAAbb_cc-dd/photos/f.jpg',
  ])('%s has its token', (url) =>
    expect(parse(url)).toEqual({ kind: 'file', token: TOKEN, upstreamPath: url.replace('/tgapi', '') }),
  );
});

describe('dot segments', () => {
  test.each([
    `/tgapi/file/bot${TOKEN}/../../etc/passwd`,
    `/tgapi/file/bot${TOKEN}/..%2F..%2Fetc/passwd`,
    `/tgapi/file/bot${TOKEN}/%2e%2e/x`,
    `/tgapi/file/bot${TOKEN}/a/./b`,
    `/tgapi/file/bot${TOKEN}/..%5Cx`,
    `/tgapi/bot${TOKEN}/../bot2000:x/getMe`,
  ])('%s is refused', (url) => expect(parse(url)).toBeNull());

  test('a name that only begins with dots is none', () => {
    expect(parse(`/file/bot${TOKEN}/documents/..name.txt`)).not.toBeNull();
  });
});

describe('a path of another form', () => {
  test.each([
    `/tgapi/${TOKEN}/getMe`,
    `/tgapi/bot/${TOKEN}/getMe`,
    `/bot/${TOKEN}/getMe`,
    '/tgapi/getMe',
    '/tgapi/',
    '/tgapi',
    '/tgapi?x=1',
    '/tgapi/bot',
    `/tgapi/file/${TOKEN}/photos/f.jpg`,
    `/tgapi/file/bot/${TOKEN}/photos/f.jpg`,
    `/tgapi/tgapi/bot${TOKEN}/getMe`,
  ])('%s is told the right one, with our prefix', (url) => {
    const refusal = { code: 404, description: expect.stringMatching(/^Not Found: .*\/tgapi\/bot<token>\/<method>/) };
    expect(parse(url)).toMatchObject({ kind: 'refused', refusal });
    expect(JSON.stringify(parse(url))).not.toContain(TOKEN);
    expect(JSON.stringify(parse(url))).not.toContain('two slashes');
  });

  test.each([
    `/tgapi//bot${TOKEN}/getMe`,
    `//bot${TOKEN}/getMe`,
    `/tgapi//file/bot${TOKEN}/photos/f.jpg`,
    `//file/bot${TOKEN}/photos/f.jpg`,
  ])('%s is told that it has two slashes', (url) => {
    const description = expect.stringMatching(/^Not Found: no such path \(two slashes\), it is \/tgapi\/bot<token>/);
    expect(isBotApiPath(url, '/tgapi')).toBe(true);
    expect(parse(url)).toMatchObject({ kind: 'refused', refusal: { code: 404, description } });
  });

  test('without a prefix it is named without one', () => {
    const { refusal } = parseBotPath('/bot/getMe', '') as { refusal: { description: string } };
    expect(refusal.description).toContain('it is /bot<token>/<method>');
  });
});

describe('whose path it is', () => {
  test.each(['/tgapi/bot1/x', '/bot1/x', '/tgapi/file/bot1/x', '/file/bot1/x', '/tgapi/api', '/tgapi', '/tgapi?x=1'])(
    '%s is the proxy’s',
    (url) => expect(isBotApiPath(url, '/tgapi')).toBe(true),
  );
  test.each(['/api/bots', '/tgapix/bot1/x', '/', '/Bot1/x', '/files/bot1', '//x/bot1', '//api/bots'])(
    '%s is not',
    (url) => expect(isBotApiPath(url, '/tgapi')).toBe(false),
  );
});

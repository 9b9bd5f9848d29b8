import { createServer } from 'node:http';
import { type AddressInfo, BlockList } from 'node:net';
import { type NameLookup, sharedLookup } from '@flotilla/runtime/shared-lookup.ts';
import { allowOnly } from '@flotilla/testing/allow-only.ts';
import { describe, expect, test } from '@jest/globals';
import { Agent, request } from 'undici';
import {
  forbiddenHostReason,
  forbiddenReason,
  forbiddenReasons,
  guardedLookup,
  parseBackendUrl,
  portOf,
} from './backend-address.ts';
import type { BackendPolicy } from './backend-policy.ts';

const resolvesTo =
  (...addresses: string[]): NameLookup =>
  (_host, _options, done) =>
    done(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );

const hostOf = (url: string): string => parseBackendUrl(url)?.hostname ?? '';

describe('a backend URL', () => {
  test.each([
    'https://example.com/hook',
    'http://example.com:8080/a?b=c',
    'example.com/hook',
    'https://u:p@example.com',
  ])('%s is accepted', (url) => expect(parseBackendUrl(url)).not.toBeNull());

  test.each([
    '',
    'ftp://example.com',
    'https://',
    'http:///x',
    'https://a b',
    'https://x:99999',
    'https://x:0',
    'https://%zz@example.com',
    'https://[::1',
    'http:\\\\x',
    'https://x\n.com',
  ])('%j is malformed', (url) => expect(parseBackendUrl(url)).toBeNull());
});

describe('an address', () => {
  test.each([
    'http://127.0.0.1',
    'http://127.1',
    'http://0x7f000001',
    'http://0177.0.0.1',
    'http://2130706433',
    'http://0/',
    'http://[::1]',
    'http://[::]',
    'http://[::ffff:127.0.0.1]',
    'http://[::ffff:169.254.169.254]',
    'http://[64:ff9b::7f00:1]',
    'http://[64:ff9b:1::7f00:1]',
    'http://[2002:7f00:1::]',
    'http://[2001:0:1::80ff:fffe]',
    'http://[::7f00:1]',
    'http://[fd00::1]',
    'http://[fec0::1]',
    'http://100.64.0.1',
    'http://10.0.0.1',
    'http://172.16.0.1',
    'http://192.168.1.1',
    'http://169.254.169.254',
    'http://224.0.0.1',
    'http://255.255.255.255',
    'http://192.0.2.1',
    'http://[2001:db8::1]',
    'http://localhost',
    'http://a.localhost.',
    'http://metadata.google.internal',
    'http://METADATA.google.internal.',
    'http://168.63.129.16',
  ])('%s is refused without a setting', (url) => {
    expect(forbiddenReason(hostOf(url), 80, allowOnly([]))).toEqual(expect.any(String));
  });

  test.each([
    'http://8.8.8.8',
    'http://[2606:4700::1111]',
    'http://[64:ff9b::808:808]',
    'http://[::ffff:8.8.8.8]',
    'http://example.com',
  ])('%s is allowed', (url) => expect(forbiddenReason(hostOf(url), 80, allowOnly([]))).toBeNull());

  test('the refusal of a private address names the setting that allows it', () => {
    expect(forbiddenReason('10.0.0.1', 80, allowOnly([]))).toContain('BACKEND_ALLOWED_CIDRS');
  });

  test.each([
    ['127.1', '127.0.0.0/8'],
    ['[::1]', '::1'],
    ['localhost', '127.0.0.1'],
    ['[::ffff:10.1.2.3]', '10.0.0.0/8'],
    ['[fd00::1]', 'fc00::/7'],
  ])('%s is allowed by %s', (host, cidr) => {
    expect(forbiddenReason(hostOf(`http://${host}`), 80, allowOnly([cidr]))).toBeNull();
  });

  test.each([
    '169.254.169.254',
    '[fe80::1]',
    '[::ffff:169.254.1.1]',
    '[64:ff9b::a9fe:a9fe]',
    '100.100.100.200',
    'metadata.google.internal',
    '[fd00:ec2::254]',
  ])('%s stays refused whatever is allowed', (host) =>
    expect(forbiddenReason(host, 80, allowOnly(['0.0.0.0/0', '::/0']))).toEqual(expect.any(String)),
  );
});

describe('what is our own', () => {
  const own: BackendPolicy = {
    lookup: resolvesTo('10.0.0.3'),
    allowedBy: 'BACKEND_ALLOWED_CIDRS',
    allowedCidrs: ['10.0.0.0/8', '127.0.0.0/8', '64:ff9b::/96'],
    ownAt: (address, port) => {
      if (address.toString() === '10.0.0.1') return 'gateway';
      return ['10.0.0.3', '127.0.0.1', '8.8.8.8'].includes(address.toString()) && port === 9090 ? 'endpoint' : null;
    },
  };

  test.each([
    ['http://10.0.0.3:9090', "Flotilla's own"],
    ['http://[::ffff:10.0.0.3]:9090', "Flotilla's own"],
    ['http://[64:ff9b::a00:3]:9090', "Flotilla's own"],
    ['http://localhost:9090', "Flotilla's own"],
    ['http://8.8.8.8:9090', "Flotilla's own"],
    ['http://10.0.0.1', 'gateway'],
    ['https://10.0.0.1:8443', 'gateway'],
  ])('is refused although its range is allowed: %s', (text, word) => {
    const url = new URL(text);
    expect(forbiddenReason(url.hostname, portOf(url), own)).toContain(word);
  });

  test('is refused at its port only, but for a gateway', () => {
    for (const host of ['10.0.0.3', 'localhost', '8.8.8.8']) expect(forbiddenReason(host, 8080, own)).toBeNull();
  });

  test('is not told where its range is not allowed', () => {
    for (const host of ['10.0.0.3', '10.0.0.1']) {
      const reason = forbiddenReason(host, 9090, { ...own, allowedCidrs: [] });
      expect(reason).toBe(`IP address ${host} is reserved; BACKEND_ALLOWED_CIDRS can allow its range`);
    }
  });

  test('is seen behind a name, when saved and when connecting, and looked at anew each time', async () => {
    expect(await forbiddenHostReason(new URL('http://inside.example:9090'), own)).toContain("Flotilla's own");
    expect(await forbiddenHostReason(new URL('http://inside.example:9091'), own)).toBeNull();
    const connect = (port: number) =>
      new Promise((done) => guardedLookup(port, own)('inside.example', {}, (error) => done(error?.code)));
    expect(await connect(9090)).toBe('EFORBIDDENADDRESS');
    expect(await connect(9091)).toBeUndefined();
    let listening = false;
    const reasons = forbiddenReasons('10.0.0.9', 80, { ...own, ownAt: () => (listening ? 'endpoint' : null) });
    expect(reasons()).toBeNull();
    listening = true;
    expect(reasons()).toContain("Flotilla's own");
  });
});

describe('a name', () => {
  test('that resolves to a private address is refused when saved', async () => {
    expect(
      await forbiddenHostReason(
        new URL('http://inside.example'),
        allowOnly([], resolvesTo('93.184.216.34', '10.0.0.1')),
      ),
    ).toBe('host inside.example has an IP address that is reserved; BACKEND_ALLOWED_CIDRS can allow its range');
  });

  test('that does not resolve is not refused when saved', async () => {
    const fails: NameLookup = (_host, _options, done) =>
      done(Object.assign(new Error('no'), { code: 'ENOTFOUND' }), []);
    expect(await forbiddenHostReason(new URL('http://later.example'), allowOnly([], fails))).toBeNull();
  });

  test('with one forbidden address among several is refused when connecting, and no packet leaves', async () => {
    let connections = 0;
    const server = createServer((_req, res) => res.end('reached')).on('connection', () => connections++);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const guarded = (cidrs: string[], ...addresses: string[]) =>
      new Agent({ connect: { lookup: guardedLookup(port, allowOnly(cidrs, resolvesTo(...addresses))) } });

    const refused = guarded([], '93.184.216.34', '127.0.0.1');
    const failure = request(`http://backend.example:${port}/`, { dispatcher: refused });
    await expect(failure).rejects.toMatchObject({
      code: 'EFORBIDDENADDRESS',
      message:
        'forbidden address: host backend.example has an IP address that is reserved; BACKEND_ALLOWED_CIDRS can allow its range',
    });
    expect(connections).toBe(0);

    const allowed = guarded(['127.0.0.0/8'], '127.0.0.1');
    const answer = await request(`http://backend.example:${port}/`, { dispatcher: allowed });
    expect(await answer.body.text()).toBe('reached');

    await Promise.all([refused.close(), allowed.close()]);
    await new Promise((resolve) => server.close(resolve));
  });
});

describe('the whole address space', () => {
  // An independent oracle: the blocks that IANA lists as not globally reachable, in Node's BlockList.
  const reserved = new BlockList();
  for (const block of [
    '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24',
    '192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4',
  ]
    .join(' ')
    .split(' ')) {
    const [network, bits] = block.split('/') as [string, string];
    reserved.addSubnet(network, Number(bits));
  }
  const dotted = (number: number) => [24, 16, 8, 0].map((shift) => (number >>> shift) & 255).join('.');
  const hex = (number: number) => `${(number >>> 16).toString(16)}:${(number & 0xffff).toString(16)}`;
  /** Spread evenly with a stride that is prime to 2^32, so that every run looks at the same 3,000. */
  const numbers = Array.from({ length: 3_000 }, (_, at) => Math.imul(at, 2_654_435_761) >>> 0);

  test('an IPv4 address is refused exactly when it is not globally reachable, in every notation', () => {
    for (const number of numbers) {
      const address = dotted(number);
      const refused = reserved.check(address);
      for (const host of [address, hostOf(`http://${number}/`), hostOf(`http://0x${number.toString(16)}/`)]) {
        expect({ host, refused: forbiddenReason(host, 80, allowOnly([])) !== null }).toEqual({ host, refused });
      }
    }
  });

  test('an IPv6 address that leads to an IPv4 one is refused when that is', () => {
    for (const number of numbers) {
      const refused = reserved.check(dotted(number));
      for (const host of [`::ffff:${hex(number)}`, `64:ff9b::${hex(number)}`, `2002:${hex(number)}::`]) {
        expect({ host, refused: forbiddenReason(host, 80, allowOnly([])) !== null }).toEqual({ host, refused });
      }
    }
  });
});

test('a name that resolves to a public address first and to loopback later is refused at the second connection', async () => {
  const answers = ['93.184.216.34', '127.0.0.1'];
  const answersInTurn: NameLookup = (host, options, done) => resolvesTo(answers.shift() ?? '')(host, options, done);
  const lookup = guardedLookup(80, allowOnly([], sharedLookup(1, answersInTurn, { freshMs: 0 })));
  const resolve = () =>
    new Promise<string>((done) =>
      lookup('rebinds.example', {}, (error, address) => done(error?.code ?? String(address))),
    );
  expect(await resolve()).toBe('93.184.216.34');
  expect(await resolve()).toBe('EFORBIDDENADDRESS');
});

test('a name with many dots is judged at once, and a URL that is too long is none', () => {
  const startedMs = performance.now();
  expect(forbiddenReason(`${'.'.repeat(200_000)}a`, 80, allowOnly([]))).toBeNull();
  expect(performance.now() - startedMs).toBeLessThan(5_000);
  expect(parseBackendUrl(`https://example.com/${'a'.repeat(2048 - 20)}`)).not.toBeNull();
  expect(parseBackendUrl(`https://example.com/${'a'.repeat(2048 - 19)}`)).toBeNull();
});

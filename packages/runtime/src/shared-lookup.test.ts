import type { LookupAddress } from 'node:dns';
import { expect, test } from '@jest/globals';
import { type NameLookup, sharedLookup } from './shared-lookup.ts';

type Done = Parameters<NameLookup>[2];
const ADDRESS: LookupAddress[] = [{ address: '192.0.2.1', family: 4 }];
const AT_ONCE = 6;

/** A system whose lookups end when the test says so. */
function system() {
  const asked: { hostname: string; done: Done }[] = [];
  const lookup: NameLookup = (hostname, _options, done) => void asked.push({ hostname, done });
  const end = (hostname: string, ...outcome: Parameters<Done>) => {
    const at = asked.findIndex((one) => one.hostname === hostname);
    asked.splice(at, 1)[0]!.done(...outcome);
  };
  return {
    lookup,
    asked: () => asked.map(({ hostname }) => hostname),
    resolve: (hostname: string, addresses = ADDRESS) => end(hostname, null, addresses),
    fail: (hostname: string, code: string) => end(hostname, Object.assign(new Error(code), { code }), []),
  };
}

const ask = (lookup: NameLookup, hostname: string) =>
  new Promise<string>((resolve) =>
    lookup(hostname, { all: true }, (error, found) =>
      resolve(error?.code ?? found.map(({ address }) => address).join()),
    ),
  );

test('all who ask for a name share one lookup of it, and its answer for a while', async () => {
  const dns = system();
  const lookup = sharedLookup(AT_ONCE, dns.lookup);
  const answers = Promise.all(Array.from({ length: 40 }, () => ask(lookup, 'a.example')));
  expect(dns.asked()).toEqual(['a.example']);
  dns.resolve('a.example');
  expect(new Set(await answers)).toEqual(new Set(['192.0.2.1']));
  expect(await ask(lookup, 'a.example')).toBe('192.0.2.1');
  expect(dns.asked()).toEqual([]);
});

test('names without an answer leave room for new ones, and these for names that are known', async () => {
  const dns = system();
  const lookup = sharedLookup(AT_ONCE, dns.lookup, { freshMs: 0 });
  const known = ask(lookup, 'known.example');
  dns.resolve('known.example');
  await known;
  const dead = Array.from({ length: 20 }, (_, at) => `dead-${at}.example`);
  const first = dead.map((name) => ask(lookup, name));
  expect(dns.asked()).toHaveLength(4);
  for (const name of dead) dns.fail(name, 'EAI_AGAIN');
  expect(new Set(await Promise.all(first))).toEqual(new Set(['EAI_AGAIN']));

  for (const name of dead) void ask(lookup, name);
  expect(dns.asked()).toEqual(['dead-0.example', 'dead-1.example']);
  const fresh = [ask(lookup, 'new-1.example'), ask(lookup, 'new-2.example'), ask(lookup, 'new-3.example')];
  const again = [ask(lookup, 'known.example')];
  expect(dns.asked().slice(2)).toEqual(['new-1.example', 'new-2.example', 'known.example']);
  for (const name of ['known.example', 'new-1.example', 'new-2.example', 'new-3.example']) dns.resolve(name);
  expect(await Promise.all([...fresh, ...again])).toEqual(Array(4).fill('192.0.2.1'));
  expect(dns.asked()).toEqual(['dead-0.example', 'dead-1.example']);
});

test('known addresses are used while nobody answers for the name, and no longer when it does not exist', async () => {
  const dns = system();
  const lookup = sharedLookup(AT_ONCE, dns.lookup, { freshMs: 0, timeoutMs: 1 });
  const first = ask(lookup, 'a.example');
  dns.resolve('a.example');
  await first;
  expect(await ask(lookup, 'a.example')).toBe('192.0.2.1');
  for (const code of ['EAI_AGAIN', 'EAI_FAIL']) {
    dns.fail('a.example', code);
    expect(await ask(lookup, 'a.example')).toBe('192.0.2.1');
  }
  dns.fail('a.example', 'ENOTFOUND');
  const last = ask(lookup, 'a.example');
  dns.fail('a.example', 'ENOTFOUND');
  expect(await last).toBe('ENOTFOUND');
});

test('a newer address replaces the known one for those who still wait', async () => {
  const dns = system();
  const lookup = sharedLookup(AT_ONCE, dns.lookup, { freshMs: 0, timeoutMs: 60_000 });
  const first = ask(lookup, 'a.example');
  dns.resolve('a.example');
  await first;
  const second = ask(lookup, 'a.example');
  dns.resolve('a.example', [{ address: '192.0.2.2', family: 4 }]);
  expect(await second).toBe('192.0.2.2');
});

test('a name whose lookup cannot begin in time fails, and nothing is looked up for it later', async () => {
  const dns = system();
  const lookup = sharedLookup(1, dns.lookup, { queuedMs: 1 });
  void ask(lookup, 'dead.example');
  expect(await ask(lookup, 'a.example')).toBe('EAI_AGAIN');
  dns.fail('dead.example', 'EAI_AGAIN');
  expect(dns.asked()).toEqual([]);
  const again = ask(lookup, 'a.example');
  dns.resolve('a.example');
  expect(await again).toBe('192.0.2.1');
});

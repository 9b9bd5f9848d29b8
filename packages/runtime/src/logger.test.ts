import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createLogger, logFile, redactSecrets } from './logger.ts';

const SECRET = 'AAF_abcdefghijklmnopqrstuvwxyz-12345';
const TOKEN = `123456789:${SECRET}`;
const KEY = 'flt_abc.DEF-ghi_jkl+mno/pqr=stu';

/** Logs with the given call and returns the written line. Fails if it is not JSON. */
function written(log: (logger: ReturnType<typeof createLogger>) => void): string {
  const lines: string[] = [];
  log(createLogger({ name: 'test', level: 'trace', destination: { write: (line) => void lines.push(line) } }));
  for (const line of lines) JSON.parse(line);
  return lines.join('');
}

describe('a disk that is full', () => {
  const LINES = 3_000;
  const onLinux = process.platform === 'linux' ? test : test.skip;
  const mayWrite = (bytes: string) => execFileSync('prlimit', [`--pid=${process.pid}`, `--fsize=${bytes}:`]);

  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'flotilla-test-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  onLinux('ends no process and holds none up; the log goes on when there is room', async () => {
    const path = join(folder, 'log');
    const log = createLogger({ name: 'test', level: 'info', destination: logFile(path) });
    mayWrite('4096');
    try {
      for (let at = 0; at < LINES; at += 1) log.info({ at, filling: 'x'.repeat(1_000) });
      log.fatal({ filling: 'x'.repeat(2_000) });
    } finally {
      mayWrite('unlimited');
    }
    log.info({ at: LINES });
    const kept = (await readFile(path, 'utf8')).trim().split('\n');
    const places = kept.map((line) => (JSON.parse(line) as { at: number }).at);
    // 1 MiB of lines of 1 kB each has waited.
    expect(places).toEqual([...Array.from({ length: places.length - 1 }, (_, at) => at), LINES]);
    expect(places.length).toBeGreaterThan(500);
    expect(places.length).toBeLessThan(1_100);
  });
});

describe('The logger', () => {
  test('shows no bot token, plain, in a URL, percent-encoded once or twice, and keeps the bot id', () => {
    const once = encodeURIComponent(TOKEN);
    const line = written((log) => {
      log.info(
        { url: `/tgapi/bot${TOKEN}/sendMessage`, once, twice: encodeURIComponent(once) },
        `called with ${TOKEN}`,
      );
    });
    expect(line).not.toContain(SECRET);
    expect(line).toContain('/tgapi/bot123456789:[redacted]/sendMessage');
  });

  test('shows no secret that signs deliveries, wherever it stands', () => {
    const secret = 'ZXhhbXBsZSBleGFtcGxlIGV4YW1wbGUgZXhhbXBsZSE+/=';
    const line = written((log) =>
      log.info({ err: new Error(`cannot use whsec_${secret}`) }, `whsec_${secret} is wrong`),
    );
    expect(line).not.toContain(secret.slice(0, 12));
    expect(line).toContain('whsec_[redacted] is wrong');
  });

  test('shows no secret of an error: message, stack, cause and further fields', () => {
    const cause = Object.assign(new Error(`connect postgres://flotilla:hunter2@db:5432/x`), { token: SECRET });
    const error = new Error(`https://api.telegram.org/bot${TOKEN}/getMe failed`, { cause });
    const line = written((log) => log.error({ err: error }, 'it failed'));
    expect(line).not.toContain(SECRET);
    expect(line).not.toContain('hunter2');
    expect(line).toContain('"stack"');
  });

  test('shows no API key, authorization, cookie or secret header, as an object, a list or text', () => {
    const headers = {
      authorization: `Bearer ${KEY}`,
      cookie: 'session=s%3Amonday',
      'set-cookie': ['session=tuesday; Path=/', 'other="wednesday"'],
      'X-Telegram-Bot-Api-Secret-Token': 'thursday"\\',
    };
    const rawHeaders = Object.entries(headers).flatMap(([name, value]) => [name, String(value)]);
    const text = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    const line = written((log) => log.info({ headers, rawHeaders, text: text.join('\r\n') }, `with ${KEY}`));
    for (const secret of ['abc.DEF', 'monday', 'tuesday', 'wednesday', 'thursday']) expect(line).not.toContain(secret);
  });

  test.each([
    ['an object', (secrets: object) => secrets],
    ['JSON text', (secrets: object) => JSON.stringify(secrets)],
    ['JSON text inside JSON text', (secrets: object) => JSON.stringify({ body: JSON.stringify(secrets) })],
    ['an inspected object', (secrets: object) => inspect(secrets, { depth: 5 })],
  ])('shows no password, secret or token field in %s, whatever quotes and backslashes are in it', (_, form) => {
    const secrets = {
      password: 'mon"day\\',
      old_password: 'tuesday',
      new_password: "wednes'day",
      secret_token: 'thursday',
      secretToken: 'friday\\"',
      token: 'saturday',
      ADMIN_PASSWORD: 'sunday',
      encryptionKey: 'holiday',
      harmless: 'shown',
    };
    const line = written((log) => log.debug({ input: form(secrets) }, 'a request'));
    expect(line).not.toMatch(/day/);
    expect(line).toContain('shown');
  });

  test('shows no secret of a query string or form', () => {
    const line = written((log) => log.info(`POST ?secret_token=monday&url=https://a.example&password=tuesday`));
    expect(line).not.toMatch(/day/);
    expect(line).toContain('url=https://a.example');
  });

  test('shows no credentials of a URL, with a password or without one', () => {
    const line = written((log) => log.info(`POST https://user:monday@a.example/b?c and https://tuesday@a.example/`));
    expect(line).not.toMatch(/day/);
    expect(line).toContain('[redacted]@a.example/b?c');
  });

  test('leaves alone what only looks like a secret', () => {
    const fields = {
      time_ms: 1_732_101_234_567,
      key: '12:1732101234567-0',
      token_count: 5,
      url: 'http://host:8080/a@b',
    };
    const line = written((log) => log.info(fields, 'Unexpected token: <'));
    expect(JSON.parse(line)).toMatchObject({ ...fields, msg: 'Unexpected token: <' });
  });

  const REPEATED = [
    '1',
    '"',
    '\\',
    ' ',
    ',',
    'password',
    'a_',
    'a://',
    '\\"token',
    '["cookie",[',
    "token: '",
    '"a" ',
    '"a", ',
  ];
  const BEGINNINGS = [
    '',
    '"token":[',
    '"token":',
    '\\"token\\":\\"',
    "token: '",
    'token: \\"',
    'cookie: ',
    'Bearer ',
    'a://b:',
  ];

  test.each(BEGINNINGS)(
    'takes a time that grows with the length of what follows %j, not with its square',
    (beginning) => {
      for (const piece of REPEATED) {
        const startedMs = performance.now();
        redactSecrets(beginning + piece.repeat(1_000_000 / piece.length));
        expect(performance.now() - startedMs).toBeLessThan(10_000);
      }
    },
  );

  test('redacts a list whose strings are not divided by commas', () => {
    expect(redactSecrets('{"token":["one" "two" , "three"]}')).toBe('{"token":"[redacted]"}');
  });
});

import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { startTlsAuthority, type TlsAuthority } from '@flotilla/testing/tls-authority.ts';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { readCertificate } from './backend-certificate.ts';

let authority: TlsAuthority;
let ca: string;
let issued: string[];

beforeAll(async () => {
  authority = await startTlsAuthority();
  ca = await readFile(authority.caFile, 'utf8');
  const made = [];
  for (let at = 0; at < 10; at += 1) made.push(await readFile((await authority.issue('DNS:a')).certFile, 'utf8'));
  issued = made;
});

const read = (text: string) => readCertificate(Buffer.from(text));
const pemOf = (text: string) => {
  const found = read(text);
  return found.outcome === 'read' ? found.pem : found.outcome;
};

describe('a certificate', () => {
  test('is kept alone, whatever stands around it in its text', () => {
    const around = 'x'.repeat(50_000);
    const key = '-----BEGIN PRIVATE KEY-----\nMC4CAQAwBQYDK2VwBCIEIA==\n-----END PRIVATE KEY-----\n';
    expect(pemOf(`${around}\n${ca}${key}${around}`)).toBe(ca);
    expect(pemOf(ca.replaceAll('\n', '\r\n'))).toBe(ca);
  });

  test('is kept with all that come with it, each once and in their order', () => {
    const chain = [issued[0], ca].join('');
    expect(pemOf(chain + chain)).toBe(chain);
    expect(pemOf(issued.join(''))).toBe(issued.join(''));
  });

  test('may come in DER, or under its other names in PEM', () => {
    expect(readCertificate(new X509Certificate(ca).raw)).toEqual({ outcome: 'read', pem: ca });
    expect(pemOf(ca.replaceAll('CERTIFICATE', 'X509 CERTIFICATE'))).toBe(ca);
  });

  test('that is none, broken, cut short or one of too many is refused', () => {
    expect(pemOf('nonsense')).toBe('unreadable');
    expect(pemOf('')).toBe('unreadable');
    expect(pemOf(ca.slice(0, -30))).toBe('unreadable');
    expect(pemOf(`${ca}-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n`)).toBe('unreadable');
    expect(pemOf(issued.join('') + ca)).toBe('too-many');
  });

  test('that begins thousands of times and never ends is refused at once', () => {
    const begunAtMs = performance.now();
    expect(pemOf('-----BEGIN CERTIFICATE-----'.repeat(2400))).toBe('unreadable');
    expect(performance.now() - begunAtMs).toBeLessThan(5_000);
  });
});

import { expect, test } from '@jest/globals';
import { serverFault } from './server-fault.ts';

const ADDRESS = '10.0.0.7:8081';

const failed = (message: string, fields: object) => Object.assign(new Error(message), fields);

test.each([
  [`connect EACCES ${ADDRESS}`, { code: 'EACCES', syscall: 'connect' }, 'connect EACCES'],
  [
    'getaddrinfo ENOTFOUND bots.internal',
    { code: 'ENOTFOUND', syscall: 'getaddrinfo' },
    'its name is not known (ENOTFOUND)',
  ],
  [
    `Connect Timeout Error (attempted address: ${ADDRESS}, timeout: 10000ms)`,
    { code: 'UND_ERR_CONNECT_TIMEOUT' },
    'it takes no connection in time (UND_ERR_CONNECT_TIMEOUT)',
  ],
  [
    "Hostname/IP does not match certificate's altnames: Host: bots.internal. is not in the cert's altnames: DNS:x",
    { code: 'ERR_TLS_CERT_ALTNAME_INVALID' },
    'its certificate is for another name (ERR_TLS_CERT_ALTNAME_INVALID)',
  ],
  ['self-signed certificate', { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }, 'self-signed certificate'],
])('in place of "%s" people who see a bot read what is wrong without the address', (message, fields, shown) => {
  const noted: string[] = [];
  const server = { apiUrl: `http://${ADDRESS}`, noteFailure: (told: string) => noted.push(told) };
  const wrapped = failed(message, { code: 'ERR_OF_CLIENT', cause: failed(message, fields) });
  expect(serverFault(wrapped, server, '')).toBe(shown);
  expect(noted).toEqual(shown === message ? [] : [message]);
});

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findProgram } from '@flotilla/embedded/find-program.ts';
import { throwAwayDir } from './throw-away-dir.ts';

const run = promisify(execFile);
const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-noenc', '-days', '2'];

/** Files of a certificate, its key, and the certificate of its authority. */
export type TlsFiles = { caFile: string; certFile: string; keyFile: string };

/** A certificate authority for one test; only clients that get its certificate trust it. */
export type TlsAuthority = {
  caFile: string;
  /** Issues a certificate for these names, such as `DNS:localhost` or `IP:127.0.0.1`. */
  issue(...names: string[]): Promise<TlsFiles>;
};

export async function startTlsAuthority(): Promise<TlsAuthority> {
  const openssl = await findOpenssl();
  const folder = await throwAwayDir();
  const file = (name: string) => join(folder, name);
  const caFile = file('ca.pem');
  const own = ['-subj', '/CN=an authority of the tests', '-keyout', file('ca.key'), '-out', caFile];
  await run(openssl, ['req', '-x509', ...NEW_KEY, ...own]);
  let issued = 0;
  return {
    caFile,
    issue: async (...names) => {
      issued += 1;
      const files = { caFile, certFile: file(`${issued}.pem`), keyFile: file(`${issued}.key`) };
      const givenBy = ['-CA', caFile, '-CAkey', file('ca.key')];
      const extensions = [`subjectAltName=${names.join(',')}`, 'basicConstraints=critical,CA:FALSE'];
      const wanted = ['-subj', '/CN=a server of the tests', ...extensions.flatMap((line) => ['-addext', line])];
      await run(openssl, [
        ...['req', '-x509', ...NEW_KEY, ...givenBy, ...wanted],
        ...['-keyout', files.keyFile, '-out', files.certFile],
      ]);
      return files;
    },
  };
}

function findOpenssl(): Promise<string> {
  const missing =
    'There is no openssl on the PATH: install it (Debian, Ubuntu: sudo apt-get install openssl; macOS: brew install openssl).';
  return findProgram({ names: ['openssl'], aptPackage: 'openssl', missing }, (line) =>
    process.stderr.write(`${line}\n`),
  );
}

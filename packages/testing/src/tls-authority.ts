import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findProgram } from '@flotilla/embedded/find-program.ts';
import { throwAwayDir } from './throw-away-dir.ts';

const run = promisify(execFile);
const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-noenc', '-days', '2'];

const NEW_RSA_KEY = ['-newkey', 'rsa:2048', '-noenc', '-days', '2'];
const CA_EXTENSIONS = ['basicConstraints=critical,CA:TRUE', 'keyUsage=critical,keyCertSign,cRLSign'];

function leafExtensions(names: string[]): string[] {
  return [`subjectAltName=${names.join(',')}`, 'basicConstraints=critical,CA:FALSE'];
}

/** Files of a certificate, its key, and the certificate of its authority. */
export type TlsFiles = { caFile: string; certFile: string; keyFile: string };

/** A certificate authority for one test; only clients that get its certificate trust it. */
export type TlsAuthority = {
  caFile: string;
  /** Issues a certificate for these names, such as `DNS:localhost` or `IP:127.0.0.1`. */
  issue(...names: string[]): Promise<TlsFiles>;
  /** The same by way of two more authorities, with the RSA keys that public ones use: as long as the platform's chain. */
  issueByChain(...names: string[]): Promise<TlsFiles>;
  /** The same, for a day of the year 2020. */
  issueExpired(...names: string[]): Promise<TlsFiles>;
};

/** A self-signed certificate as the platform's guide makes it: the host is in its common name only. */
export async function makeSelfSigned(host: string): Promise<Omit<TlsFiles, 'caFile'>> {
  const folder = await throwAwayDir();
  const [certFile, keyFile] = [join(folder, 'self-signed.pem'), join(folder, 'self-signed.key')];
  const wanted = ['-subj', `/CN=${host}`, '-keyout', keyFile, '-out', certFile];
  await run(await findOpenssl(), ['req', '-x509', ...NEW_KEY, ...wanted]);
  return { certFile, keyFile };
}

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
      const extensions = leafExtensions(names).flatMap((line) => ['-addext', line]);
      const wanted = ['-subj', '/CN=a server of the tests', ...extensions];
      await run(openssl, [
        ...['req', '-x509', ...NEW_KEY, ...givenBy, ...wanted],
        ...['-keyout', files.keyFile, '-out', files.certFile],
      ]);
      return files;
    },
    issueByChain: async (...names) => {
      const chain = [{ certFile: caFile, keyFile: file('ca.key') }];
      for (const wanted of [...Array.from({ length: 2 }, () => CA_EXTENSIONS), leafExtensions(names)]) {
        issued += 1;
        const made = { certFile: file(`${issued}.pem`), keyFile: file(`${issued}.key`) };
        const { certFile, keyFile } = chain.at(-1)!;
        await run(openssl, [
          ...['req', '-x509', ...NEW_RSA_KEY, '-CA', certFile, '-CAkey', keyFile, '-subj', `/CN=number ${issued}`],
          ...[...wanted.flatMap((line) => ['-addext', line]), '-keyout', made.keyFile, '-out', made.certFile],
        ]);
        chain.push(made);
      }
      const leaf = chain.at(-1)!;
      const texts = await Promise.all(chain.toReversed().map(({ certFile }) => readFile(certFile, 'utf8')));
      await writeFile(leaf.certFile, texts.join(''));
      return { caFile, ...leaf };
    },
    issueExpired: async (...names) => {
      issued += 1;
      const files = { caFile, certFile: file(`${issued}.pem`), keyFile: file(`${issued}.key`) };
      const [request, config] = [file(`${issued}.csr`), file(`${issued}.cnf`)];
      await writeFile(config, configOf(folder, names));
      await writeFile(file('index.txt'), '');
      const subject = ['-subj', '/CN=a server of the tests'];
      await run(openssl, ['req', ...NEW_KEY, ...subject, '-keyout', files.keyFile, '-out', request]);
      const times = ['-startdate', '20200101000000Z', '-enddate', '20200102000000Z'];
      const by = ['-cert', caFile, '-keyfile', file('ca.key'), '-config', config];
      await run(openssl, ['ca', '-batch', '-notext', ...by, ...times, '-in', request, '-out', files.certFile]);
      return files;
    },
  };
}

/** `openssl ca` is the only command of every release that sets both times, and it takes the rest from a file. */
function configOf(folder: string, names: string[]): string {
  return [
    ...['[ca]', 'default_ca = own', '[own]', `database = ${join(folder, 'index.txt')}`, `new_certs_dir = ${folder}`],
    ...['rand_serial = yes', 'default_md = sha256', 'policy = any', 'x509_extensions = wanted'],
    ...['[any]', 'commonName = supplied', '[wanted]', `subjectAltName = ${names.join(',')}`],
    '',
  ].join('\n');
}

function findOpenssl(): Promise<string> {
  const missing =
    'There is no openssl on the PATH: install it (Debian, Ubuntu: sudo apt-get install openssl; macOS: brew install openssl).';
  return findProgram({ names: ['openssl'], aptPackage: 'openssl', missing }, (line) =>
    process.stderr.write(`${line}\n`),
  );
}

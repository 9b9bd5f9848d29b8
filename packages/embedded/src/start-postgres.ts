import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { chmod, chown, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { endLeftover } from './end-leftover.ts';
import { freePort } from './free-port.ts';
import { type GuardedProcess, startGuarded } from './guarded-process.ts';
import type { PostgresBinaries } from './installed-postgres.ts';
import { makeDataDir } from './own-data.ts';
import { EMBEDDED, type PostgresChoice, postgresBinaries, SHARED_PLACE } from './postgres-binaries.ts';
import { serviceError } from './service-error.ts';
import { type SystemUser, unprivilegedUser } from './unprivileged-user.ts';

const run = promisify(execFile);
const ROLE = 'flotilla';
const ENVIRONMENT = { PATH: '/usr/bin:/bin', LC_MESSAGES: 'C', TZ: 'UTC' };
const BUILTIN_LOCALES_FROM = 17;

export type PostgresOptions = {
  /** Data goes into `<dataDir>/postgres`, or into another place if the user of Postgres cannot get there. */
  dataDir: string;
  /** The default is a free port. */
  port?: number | undefined;
  /** For tests: everything is removed when the launcher is killed. */
  throwAway?: boolean;
  /** True if a commit is on the disk before it is answered. The default is that it is, unless all is thrown away. */
  durable?: boolean;
  /** The default is `embedded`. */
  choice?: PostgresChoice;
  report?: (line: string) => void;
};

export type EmbeddedPostgres = {
  /** The URL of the database `flotilla`, with its password. */
  url: string;
  port: number;
  pid: number;
  exited: Promise<void>;
  /** True if it is the one of the npm package, which is for trying. */
  isEmbedded: boolean;
  /** The last lines that it wrote. */
  tail(): string;
  /** The signal that ended it; null if none did. */
  endedBy(): string | null;
  stop(): Promise<void>;
  kill(): void;
};

/**
 * Starts a real Postgres on a loopback port, over new or existing data, also after a crash. Throws FlotillaError
 * with one sentence for the person who started us.
 */
export async function startPostgres(options: PostgresOptions): Promise<EmbeddedPostgres> {
  const report = options.report ?? (() => {});
  const user = await unprivilegedUser();
  const place = await choosePlace(options.dataDir, user, report);
  const password = await keepPassword(place);
  const data = join(place, 'postgres');
  const existing = await majorOfData(data, user);
  const binaries = await postgresBinaries(options.choice ?? 'embedded', existing, user, report);
  const runAs = await prepareData(binaries, data, password, user, report);
  await endLeftover(join(data, 'postmaster.pid'), /postgres/, 'SIGINT');

  const port = options.port ?? (await freePort());
  const process = await startGuarded({
    command: binaries.postgres,
    args: ['-D', data, ...serverFlags(port, options)],
    env: ENVIRONMENT,
    user: runAs,
    stopSignal: 'SIGINT',
    ...(options.throwAway ? { removeAfterwards: place } : {}),
  });
  await waitUntilReady(process);
  const url = (database: string) => `postgres://${ROLE}:${password}@127.0.0.1:${port}/${database}`;
  await makeDatabase(url('postgres'));
  const stop = async () => {
    await process.stop();
    if (options.throwAway) await rm(place, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  };
  const { pid, exited, tail, endedBy, kill } = process;
  const isEmbedded = binaries.origin === EMBEDDED;
  return { url: url(ROLE), port, pid, exited, isEmbedded, tail, endedBy, stop, kill };
}

function serverFlags(port: number, { throwAway = false, durable = !throwAway }: PostgresOptions): string[] {
  const settings = {
    port,
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    // Several fleets of tests run at the same time, and each of their processes has a pool.
    max_connections: throwAway ? 600 : 200,
    ...(durable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
  };
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

async function waitUntilReady(process: GuardedProcess): Promise<void> {
  await process.waitForOutput('database system is ready to accept connections').catch((error: Error) => {
    throw serviceError(`Postgres did not start. It said:\n${error.message}`, error);
  });
}

async function choosePlace(dataDir: string, user: SystemUser | null, report: (line: string) => void): Promise<string> {
  await makeDataDir(dataDir);
  if (await canWriteBelow(dataDir, user)) return dataDir;
  const name = createHash('sha256').update(dataDir).digest('hex').slice(0, 12);
  const place = join(SHARED_PLACE, `data-${name}`);
  await makeDataDir(place);
  if (!(await canWriteBelow(place, user))) {
    throw serviceError(
      `Postgres cannot write below ${dataDir}; set DATA_DIR to a place that every user can pass through.`,
    );
  }
  report(`Postgres keeps its data in ${place}, because its user cannot pass through to ${dataDir}`);
  return place;
}

async function canWriteBelow(place: string, user: SystemUser | null): Promise<boolean> {
  if (!user) return true;
  const probe = join(place, `probe-${process.pid}`);
  await mkdir(probe, { recursive: true });
  await chown(probe, user.uid, user.gid);
  const writable = await run('touch', [join(probe, 'file')], { cwd: '/', ...user }).then(
    () => true,
    () => false,
  );
  await rm(probe, { recursive: true, force: true });
  return writable;
}

async function keepPassword(place: string): Promise<string> {
  const file = join(place, 'postgres-password');
  const kept = await readFile(file, 'utf8').catch(() => null);
  if (kept) return kept.trim();
  const password = randomBytes(24).toString('base64url');
  await writeFile(file, password, { mode: 0o600 });
  return password;
}

/** Of which Postgres the data is; null if there is none yet. */
async function majorOfData(data: string, user: SystemUser | null): Promise<{ major: number; place: string } | null> {
  if ((await stat(data).catch(() => null)) === null) return null;
  const version = (await readFile(join(data, 'PG_VERSION'), 'utf8').catch(() => '')).trim();
  if (version === '' && user === null) throw serviceError(`The Postgres data in ${data} belongs to another user.`);
  if (!/^\d+$/.test(version)) throw serviceError(`The Postgres data in ${data} is damaged: restore a backup.`);
  return { major: Number(version), place: data };
}

/** Makes the database cluster on first use. Returns the user that the server must run as: the owner of the data. */
async function prepareData(
  binaries: PostgresBinaries,
  data: string,
  password: string,
  user: SystemUser | null,
  report: (line: string) => void,
): Promise<SystemUser | null> {
  const owner = await stat(data).catch(() => null);
  if (!owner) {
    report('making a new Postgres database');
    await initialise(binaries, data, password, user);
    return user;
  }
  return user && { uid: owner.uid, gid: owner.gid };
}

async function initialise(
  binaries: PostgresBinaries,
  data: string,
  password: string,
  user: SystemUser | null,
): Promise<void> {
  const partial = `${data}.new`;
  const passwordFile = `${data}.pw`;
  await rm(partial, { recursive: true, force: true });
  await mkdir(partial, { mode: 0o700 });
  await writeFile(passwordFile, password, { mode: 0o600 });
  if (user) await Promise.all([partial, passwordFile].map((path) => chown(path, user.uid, user.gid)));
  const flags = [`--pgdata=${partial}`, `--username=${ROLE}`, `--pwfile=${passwordFile}`, '--auth=scram-sha-256'];
  // The C.UTF-8 of Postgres itself folds the case of every script, whatever locales the system has.
  const builtin = ['--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  const hasBuiltin = binaries.major >= BUILTIN_LOCALES_FROM;
  const collation = ['--encoding=UTF8', '--no-instructions', ...(hasBuiltin ? builtin : [])];
  try {
    const initdb = (locale: string) =>
      run(binaries.initdb, [...flags, ...collation, `--locale=${locale}`, '--no-sync'], {
        cwd: '/',
        env: ENVIRONMENT,
        ...user,
      });
    await initdb('C.UTF-8').catch((error: unknown) => (hasBuiltin ? initdb('C') : Promise.reject(error)));
    await chmod(partial, 0o700);
    await rename(partial, data);
  } catch (error) {
    throw serviceError(
      `Postgres could not make its database: ${(error as { stderr?: string }).stderr ?? error}`,
      error,
    );
  } finally {
    await rm(passwordFile, { force: true });
  }
}

async function makeDatabase(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 10_000 });
  try {
    await client.connect();
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [ROLE]);
    if (rowCount === 0) await client.query(`create database ${ROLE}`);
  } catch (error) {
    throw serviceError(`Postgres started but refuses the connection: ${(error as Error).message}`, error);
  } finally {
    await client.end();
  }
}

import { spawn } from 'node:child_process';
import { chmod, chown, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findProgram, type WantedProgram } from '@flotilla/embedded/find-program.ts';
import { freePort } from '@flotilla/embedded/free-port.ts';
import { unprivilegedUser } from '@flotilla/embedded/unprivileged-user.ts';
import { administer } from './postgres.ts';
import { removeDir, throwAwayDir } from './throw-away-dir.ts';
import { waitFor } from './wait-for.ts';

const PGBOUNCER: WantedProgram = {
  names: ['pgbouncer'],
  aptPackage: 'pgbouncer',
  missing:
    'There is no pgbouncer on the PATH: install it (Debian, Ubuntu: sudo apt-get install pgbouncer; macOS: brew install pgbouncer).',
};

/** PgBouncer in transaction mode before a database, with this many connections to it. The URL leads through it. */
export async function startPgbouncer(
  database: string,
  { connections, settings }: { connections: number; settings: string },
): Promise<{ url: string; stop(): Promise<void> }> {
  const [program, folder, port, user] = await Promise.all([
    findProgram(PGBOUNCER, (line) => process.stderr.write(`${line}\n`)),
    throwAwayDir(),
    freePort(),
    unprivilegedUser(),
  ]);
  const behind = new URL(database);
  const file = join(folder, 'pgbouncer.ini');
  const users = join(folder, 'users.txt');
  await writeFile(users, `"${behind.username}" "${decodeURIComponent(behind.password)}"\n`);
  await writeFile(
    file,
    [
      ...['[databases]', `* = host=${behind.hostname} port=${behind.port}`, '[pgbouncer]', 'listen_addr = 127.0.0.1'],
      ...[`listen_port = ${port}`, 'unix_socket_dir =', 'auth_type = scram-sha-256', `auth_file = ${users}`],
      ...['pool_mode = transaction', `default_pool_size = ${connections}`, settings, ''],
    ].join('\n'),
  );
  // It does not run as root.
  if (user !== null) await Promise.all([folder, file, users].map((path) => chown(path, user.uid, user.gid)));
  await chmod(folder, 0o755);
  const child = spawn(program, ['-q', file], { stdio: 'ignore', ...(user ?? {}) });
  const exited = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const url = Object.assign(new URL(database), { hostname: '127.0.0.1', port: String(port) }).href;
  const stop = async () => {
    child.kill('SIGKILL');
    await exited;
    await removeDir(folder);
  };
  await waitFor(() => administer(url, 'select 1').then(() => true), { message: 'PgBouncer' }).catch(async (error) => {
    await stop();
    throw error;
  });
  return { url, stop };
}

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { serviceError } from './service-error.ts';

const run = promisify(execFile);

export type SystemUser = { uid: number; gid: number };

const NAME = 'postgres';

/** The user that Postgres runs as: null for ourselves. It refuses root, so root uses (or makes) the user postgres. */
export async function unprivilegedUser(): Promise<SystemUser | null> {
  if (process.getuid?.() !== 0) return null;
  const found = await lookUp();
  if (found) return found;
  await run('useradd', ['--system', '--user-group', '--no-create-home', '--shell', '/bin/false', NAME]).catch(
    (error) => {
      throw serviceError(
        'Postgres does not run as root, and no user "postgres" could be made for it (useradd).',
        error,
      );
    },
  );
  const made = await lookUp();
  if (!made) throw serviceError('Postgres does not run as root, and the user "postgres" made for it is not found.');
  return made;
}

async function lookUp(): Promise<SystemUser | null> {
  try {
    const [uid, gid] = await Promise.all([run('id', ['-u', NAME]), run('id', ['-g', NAME])]);
    return { uid: Number(uid.stdout), gid: Number(gid.stdout) };
  } catch {
    return null;
  }
}

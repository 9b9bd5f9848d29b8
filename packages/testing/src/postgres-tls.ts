import { chown, copyFile, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startPostgres } from '@flotilla/embedded/start-postgres.ts';
import pg from 'pg';
import { administer } from './postgres.ts';
import { removeDir, throwAwayDir } from './throw-away-dir.ts';
import type { TlsFiles } from './tls-authority.ts';
import { waitFor } from './wait-for.ts';

/** An empty Postgres of the file's own that refuses connections without TLS; the URL has no TLS options. */
export async function startTlsPostgres(tls: TlsFiles): Promise<{ url: string; stop(): Promise<void> }> {
  const dataDir = await throwAwayDir();
  const postgres = await startPostgres({ dataDir, throwAway: true });
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  try {
    const { rows } = await client.query<{ data_directory: string }>('show data_directory');
    await demandTls(rows[0]!.data_directory, tls);
    await client.query('alter system set ssl = on');
    await client.query('select pg_reload_conf()');
  } finally {
    await client.end();
  }
  const refusesPlain = () =>
    administer(postgres.url, 'select 1').then(
      () => false,
      () => true,
    );
  await waitFor(refusesPlain, { message: 'a Postgres that wants TLS' });
  const stop = async () => {
    await postgres.stop();
    await removeDir(dataDir);
  };
  return { url: postgres.url, stop };
}

/** Copies the files, because Postgres may run as another user, and makes pg_hba.conf accept TLS connections only. */
async function demandTls(folder: string, tls: TlsFiles): Promise<void> {
  const { uid, gid } = await stat(folder);
  for (const [from, name] of [
    [tls.certFile, 'server.crt'],
    [tls.keyFile, 'server.key'],
  ] as const) {
    await copyFile(from, join(folder, name));
    await chown(join(folder, name), uid, gid);
  }
  const access = join(folder, 'pg_hba.conf');
  await writeFile(access, (await readFile(access, 'utf8')).replace(/^host /gm, 'hostssl '));
}

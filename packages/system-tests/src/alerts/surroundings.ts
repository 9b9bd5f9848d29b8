import { execFile, spawn } from 'node:child_process';
import { mkdir, statfs, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findProgram } from '@flotilla/embedded/find-program.ts';
import { freePort } from '@flotilla/embedded/free-port.ts';
import { throwAwayDir } from '@flotilla/testing/throw-away-dir.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';
import type { Target } from './prometheus.ts';

const run = promisify(execFile);
const VOLUME_BYTES = 64 * 1024 ** 2;

/** A real exporter of what is not Flotilla; its Debian package has its name. */
async function startExporter(parts: AsyncDisposableStack, name: string, flags: string[], env = {}): Promise<number> {
  const missing = `There is no ${name} on the PATH: install it (Debian, Ubuntu: apt-get install ${name}).`;
  const wanted = { names: [name], aptPackage: name, missing };
  const program = await findProgram(wanted, (line) => process.stderr.write(`${line}\n`));
  const port = await freePort();
  const child = spawn(program, [`--web.listen-address=127.0.0.1:${port}`, '--log.level=error', ...flags], {
    env,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const closed = new Promise((resolve) => child.once('close', resolve));
  parts.defer(async () => {
    child.kill('SIGKILL');
    await closed;
  });
  await waitFor(async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).ok, { message: name });
  return port;
}

/** Calls these addresses as clients do; a certificate must be of this authority. */
export async function startProbe(
  parts: AsyncDisposableStack,
  { urls, caFile }: { urls: string[]; caFile: string },
): Promise<Target[]> {
  const file = join(await throwAwayDir(), 'blackbox.yml');
  await writeFile(file, 'modules: { http_2xx: { prober: http, timeout: 2s } }\n');
  const flags = [`--config.file=${file}`];
  const port = await startExporter(parts, 'prometheus-blackbox-exporter', flags, { SSL_CERT_FILE: caFile });
  return urls.map((url) => ({
    ...{ job: 'flotilla-probe', name: url, port },
    labels: { __metrics_path__: '/probe', __param_module: 'http_2xx', __param_target: url },
  }));
}

/** Says how full the disks are. */
export async function startDisks(parts: AsyncDisposableStack): Promise<Target> {
  // Tests keep what they throw away below /dev/shm, where the exporter looks at nothing by default.
  const everywhere = '--collector.filesystem.mount-points-exclude=^/(proc|sys)($|/)';
  const flags = ['--collector.disable-defaults', '--collector.filesystem', everywhere];
  return { job: 'flotilla-disk', name: 'disks', port: await startExporter(parts, 'prometheus-node-exporter', flags) };
}

/** A small disk of its own; only root can mount one. `device` is its name in the figures. */
export async function mountVolume(parts: AsyncDisposableStack) {
  const folder = await throwAwayDir();
  const [image, mounted] = [join(folder, 'image'), join(folder, 'volume')];
  await mkdir(mounted);
  await writeFile(image, '');
  await truncate(image, VOLUME_BYTES);
  await run('mkfs.ext4', ['-q', '-F', image]);
  await run('mount', ['-o', 'loop', image, mounted]);
  parts.defer(() => run('umount', ['--lazy', mounted]).then(() => undefined));
  const { stdout } = await run('findmnt', ['--noheadings', '--output=SOURCE', mounted]);
  let files = 0;
  return {
    device: stdout.trim(),
    /** Writes until no more than this share of it is free. */
    leave: async (share: number): Promise<void> => {
      const { blocks, bavail, bsize } = await statfs(mounted);
      files += 1;
      const bytes = Math.ceil((bavail - blocks * share) * bsize);
      await writeFile(join(mounted, `fill-${files}`), Buffer.alloc(Math.max(0, bytes)), { flush: true });
    },
  };
}

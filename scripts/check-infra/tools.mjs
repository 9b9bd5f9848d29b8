import { spawnSync } from 'node:child_process';
import { aptInstall } from '../../packages/embedded/src/apt-install.ts';

/** Returns the path of a program, or null. As root it first installs a missing one from its Debian package. */
export async function findTool(name, debianPackage, leaveOut) {
  const found = () => spawnSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).stdout.trim() || null;
  if (found() !== null) return found();
  await aptInstall(debianPackage, (line) => process.stderr.write(`${line} …\n`));
  if (found() === null) leaveOut(`${name} is not here and could not be installed (Debian package ${debianPackage})`);
  return found();
}

/** Runs a program to its end; returns its output and `ok`, which is true for exit code 0. */
export function run(command, args, options = {}) {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    encoding: 'utf8',
    maxBuffer: 1 << 26,
    ...options,
  });
  return { ok: status === 0, output: error ? error.message : `${stdout}${stderr}`.trim(), stdout };
}

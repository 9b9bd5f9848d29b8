import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { watchFaults } from '../check-watch.mjs';
import { findTool, run } from './tools.mjs';

const FOLDER = 'infra/prometheus';
const ALERTMANAGER = 'alertmanager.example.yml';

/**
 * Checks dashboards and rules against the existing metrics. Once these hold, promtool and amtool check the configurations,
 * and promtool runs the tests of the rules, which takes seconds.
 */
export async function checkWatch(root, leaveOut) {
  const faults = watchFaults(root);
  if (faults.length > 0) return faults;
  const promtool = await findTool('promtool', 'prometheus', leaveOut);
  if (promtool === null) return [];
  const cwd = join(root, FOLDER);
  const files = (folder) =>
    readdirSync(join(cwd, folder))
      .filter((file) => file.endsWith('.yml'))
      .map((file) => `${folder}/${file}`);
  const runs = [
    ['check', 'config', 'prometheus.yml'],
    ['check', 'rules', ...files('alerts')],
    ['test', 'rules', ...files('alert-tests')],
  ];
  const amtool = await findTool('amtool', 'prometheus-alertmanager', leaveOut);
  return [
    ...runs.flatMap((args) => faultsOf(promtool, args, cwd)),
    ...(amtool === null ? [] : faultsOf(amtool, ['check-config', ALERTMANAGER], cwd)),
  ];
}

function faultsOf(tool, args, cwd) {
  const { ok, output } = run(tool, args, { cwd });
  return ok ? [] : [`${basename(tool)} ${args.join(' ')}:\n${output}`];
}

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { watchFaults } from '../check-watch.mjs';
import { findTool, run } from './tools.mjs';

const FOLDER = 'infra/prometheus';

/**
 * Checks dashboards and rules against the existing metrics. Once these hold, promtool checks the configuration and runs
 * the tests of the rules, which takes seconds.
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
  return runs.flatMap((args) => {
    const { ok, output } = run(promtool, args, { cwd });
    return ok ? [] : [`promtool ${args.join(' ')}:\n${output}`];
  });
}

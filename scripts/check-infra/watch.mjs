import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { watchFaults } from '../check-watch.mjs';
import { findTool, run } from './tools.mjs';

const FOLDER = 'infra/prometheus';

/** Checks dashboards and rules against the existing metrics; runs promtool on configuration, rules and their tests. */
export async function checkWatch(root, leaveOut) {
  const faults = watchFaults(root);
  const promtool = await findTool('promtool', 'prometheus', leaveOut);
  if (promtool === null) return faults;
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
  return [
    ...faults,
    ...runs.flatMap((args) => {
      const { ok, output } = run(promtool, args, { cwd });
      return ok ? [] : [`promtool ${args.join(' ')}:\n${output}`];
    }),
  ];
}

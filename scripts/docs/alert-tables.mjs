import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { table } from './table.mjs';

const SEVERITIES = ['critical', 'warning', 'info'];

/** All alerts, the most severe first, each with a link to its runbook. */
export function alertTables(root) {
  const files = globSync('infra/prometheus/alerts/*.yml', { cwd: root }).sort();
  const rules = files.flatMap((path) =>
    parse(readFileSync(join(root, path), 'utf8')).groups.flatMap((group) => group.rules),
  );
  const rows = SEVERITIES.flatMap((severity) =>
    rules
      .filter(({ labels }) => labels?.severity === severity)
      .map(({ alert, annotations }) => [
        `[${alert}](runbooks/${alert}.md)`,
        severity,
        annotations.summary.replaceAll(/\{\{ \$(?:labels\.)?(\w+)[^}]*\}\}/g, '*$1*'),
      ]),
  );
  return { alerts: table(['Alert', 'Severity', 'Summary'], rows) };
}

import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { parse } from 'yaml';
import { nameOf } from './kubernetes-types.mjs';

const ALERTS = 'infra/prometheus/alerts';
const DASHBOARDS = 'infra/grafana/dashboards';

/** The chart must carry all alert rules and dashboards as they are. */
export function fileFaults(root, documents) {
  const files = (folder) => readdirSync(join(root, folder)).map((name) => join(folder, name));
  const groups = files(ALERTS).flatMap((file) => parse(readFileSync(join(root, file), 'utf8')).groups);
  const rules = documents.filter(({ manifest }) => manifest.kind === 'PrometheusRule');
  const dashboards = documents
    .filter(({ manifest }) => manifest.kind === 'ConfigMap')
    .map(({ manifest }) => manifest.data);
  return [
    ...(rules.length === 0 ? ['no example has the alert rules'] : []),
    ...rules
      .filter(({ manifest }) => !isDeepStrictEqual(manifest.spec.groups, groups))
      .map((document) => `${nameOf(document)}: its rules are not those of ${ALERTS}`),
    ...files(DASHBOARDS)
      .filter((file) => !dashboards.some((data) => data[basename(file)] === readFileSync(join(root, file), 'utf8')))
      .map((file) => `no example has the dashboard ${file} as it is`),
  ];
}

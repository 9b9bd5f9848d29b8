import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { knownSettings } from './known-settings.mjs';
import { podsOf } from './kubernetes-pods.mjs';
import { nameOf } from './kubernetes-types.mjs';

/** Read by Node itself. */
const OF_NODE = ['NODE_EXTRA_CA_CERTS'];

/** Every variable of a pod must be a setting, and no worker may have what only the api needs. */
export function settingFaults(root, { values }, documents) {
  const { extraEnv = [] } = parse(readFileSync(join(root, values), 'utf8'));
  const known = new Set([...knownSettings(root), ...OF_NODE, ...extraEnv.map(({ name }) => name)]);
  return documents.flatMap((document) => {
    const names = podsOf(document.manifest)?.containers.flatMap(({ env = [] }) => env.map(({ name }) => name)) ?? [];
    const ofApi = document.manifest.metadata.labels['app.kubernetes.io/component'] === 'api';
    return [
      ...names.filter((name) => !known.has(name)).map((name) => `${nameOf(document)}: ${name} is no setting`),
      ...names
        .filter((name) => !ofApi && name.startsWith('ADMIN_'))
        .map((name) => `${nameOf(document)}: only the api needs ${name}`),
    ];
  });
}

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PINNED_NODE, ROOT } from '../bootstrap.mjs';
import { run } from './tools.mjs';

/** Packages with generated types, by API group; a group without a dot is Kubernetes' own. */
const CUSTOM_GROUPS = {
  'bitnami.com': '@kubernetes-models/sealed-secrets/bitnami.com',
  'external-secrets.io': '@kubernetes-models/external-secrets/external-secrets.io',
  'gateway.networking.k8s.io': '@kubernetes-models/gateway-api/gateway.networking.k8s.io',
  'keda.sh': '@kubernetes-models/keda/keda.sh',
  'monitoring.coreos.com': '@kubernetes-models/prometheus-operator/monitoring.coreos.com',
  'postgresql.cnpg.io': '@kubernetes-models/cloudnative-pg/postgresql.cnpg.io',
};

/**
 * Checks manifests as literals of their TypeScript types, which reject a misspelt field at any depth, and with their
 * JSON schemas, which know formats and numbers.
 */
export async function typeFaults(documents) {
  const typed = documents.map((document) => ({ ...document, module: moduleOf(document.manifest) }));
  const fromTypes = compilerFaults(typed);
  const fromSchemas = await Promise.all(typed.map(schemaFaults));
  return [...fromTypes, ...fromSchemas.flat()];
}

function moduleOf({ apiVersion = '' }) {
  const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion];
  const base = CUSTOM_GROUPS[group] ?? (group === '' ? 'kubernetes-models' : `kubernetes-models/${group}`);
  return `${base}/${version}`;
}

function compilerFaults(typed) {
  // The file must be inside node_modules for the compiler to find the packages.
  const folder = join(ROOT, 'node_modules/.cache/check-infra');
  const file = join(folder, `manifests-${process.pid}.ts`);
  mkdirSync(folder, { recursive: true });
  const lines = typed.map(({ manifest, module }, at) => {
    return `export const m${at}: import('${module}').I${manifest.kind} = ${JSON.stringify(manifest)};`;
  });
  writeFileSync(file, lines.join('\n'));
  const options = [
    '--noEmit',
    '--strict',
    '--module',
    'nodenext',
    '--target',
    'es2024',
    '--skipLibCheck',
    '--ignoreConfig',
  ];
  const { output } = run(
    PINNED_NODE,
    [join(ROOT, 'node_modules/typescript/bin/tsc'), ...options, '--pretty', 'false', file],
    {
      cwd: folder,
    },
  );
  rmSync(file);
  return output.split('\n').flatMap((line) => {
    const found = /^\S*manifests-\d+\.ts\((\d+),\d+\): error \w+: (.*)$/.exec(line);
    if (found === null) return line === '' || line.startsWith(' ') ? [] : [line];
    return [`${nameOf(typed[Number(found[1]) - 1])}: ${found[2]}`];
  });
}

async function schemaFaults(document) {
  const { [document.manifest.kind]: Model } = await import(document.module).catch(() => ({}));
  if (Model === undefined) return [`${nameOf(document)}: ${document.manifest.apiVersion} has no such kind`];
  try {
    new Model(document.manifest).validate();
    return [];
  } catch (error) {
    return [`${nameOf(document)}: ${error.message}`];
  }
}

export function nameOf({ file, manifest }) {
  return `${file}: ${manifest.kind} ${manifest.metadata?.name}`;
}

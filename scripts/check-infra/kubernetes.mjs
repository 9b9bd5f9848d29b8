import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { knownSettings, SECRET_SETTINGS } from './known-settings.mjs';
import { linkFaults } from './kubernetes-links.mjs';
import { scalingFaults } from './kubernetes-scaling.mjs';
import { typeFaults } from './kubernetes-types.mjs';
import { run } from './tools.mjs';

const FOLDERS = ['infra/kubernetes/base', 'infra/kubernetes/installation'];

/**
 * Checks the manifests against the types of Kubernetes, KEDA and the Prometheus operator, against each other, and
 * against the settings; renders them if a suitable kubectl is installed.
 */
export async function checkKubernetes(root, leaveOut) {
  const sources = FOLDERS.flatMap((folder) => readManifests(root, folder));
  const broken = sources.flatMap(({ file, faults }) => faults.map((fault) => `${file}: ${fault}`));
  if (broken.length > 0) return broken;
  const kustomizations = sources.filter(({ file }) => file.endsWith('kustomization.yaml'));
  const manifests = sources
    .filter(({ file }) => !file.endsWith('kustomization.yaml'))
    .flatMap(({ documents }) => documents);
  const rendered = render(root, leaveOut);
  if (rendered.fault) return [rendered.fault];
  return [
    ...kustomizations.flatMap((kustomization) => kustomizationFaults(root, kustomization, sources)),
    ...(await typeFaults([...manifests, ...rendered.documents])),
    ...linkFaults(root, manifests),
    ...scalingFaults(root, manifests),
  ];
}

function readManifests(root, folder) {
  return readdirSync(join(root, folder)).map((name) => {
    const file = `${folder}/${name}`;
    const parsed = parseAllDocuments(readFileSync(join(root, file), 'utf8'));
    const faults = parsed.flatMap(({ errors }) => errors.map(({ message }) => message));
    return { file, faults, documents: faults.length > 0 ? [] : parsed.map((one) => ({ file, manifest: one.toJS() })) };
  });
}

/** Folders as resources need kustomize from kubectl 1.21 or later. */
function render(root, leaveOut) {
  const version = run('kubectl', ['version', '--client', '--output=json']);
  const minor = version.ok ? Number.parseInt(JSON.parse(version.stdout).clientVersion.minor, 10) : 0;
  if (minor < 21) {
    leaveOut('what kustomize makes of the manifests: there is no kubectl 1.21 or later');
    return { documents: [] };
  }
  const { ok, output, stdout } = run('kubectl', ['kustomize', join(root, 'infra/kubernetes/installation')]);
  if (!ok) return { fault: `kubectl kustomize infra/kubernetes/installation: ${output}` };
  const documents = parseAllDocuments(stdout).map((one) => ({ file: 'what kustomize makes', manifest: one.toJS() }));
  return { documents };
}

function kustomizationFaults(root, { file, documents }, sources) {
  const [{ manifest }] = documents;
  const folder = file.slice(0, file.lastIndexOf('/'));
  const beside = sources.map((source) => source.file).filter((path) => path.startsWith(`${folder}/`) && path !== file);
  const listed = manifest.resources
    .filter((resource) => resource.endsWith('.yaml'))
    .map((resource) => `${folder}/${resource}`);
  const unlisted = beside
    .filter((path) => !listed.includes(path))
    .map((path) => `${file}: ${path} is not among its resources`);
  const literals = (manifest.configMapGenerator ?? [])
    .flatMap(({ literals }) => literals)
    .map((line) => line.split('=', 1)[0]);
  const known = knownSettings(root);
  return [
    ...unlisted,
    ...literals.filter((name) => !known.has(name)).map((name) => `${file}: ${name} is no setting`),
    ...literals
      .filter((name) => SECRET_SETTINGS.includes(name))
      .map((name) => `${file}: ${name} belongs into the Secret`),
  ];
}

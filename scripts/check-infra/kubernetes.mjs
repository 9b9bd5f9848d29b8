import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { findHelm } from '../helm/find-helm.mjs';
import { CHART, EXAMPLES, keptText, parsed, render, VARIANTS, withoutNotes } from '../helm/variants.mjs';
import { fileFaults } from './kubernetes-files.mjs';
import { linkFaults } from './kubernetes-links.mjs';
import { nameFaults } from './kubernetes-names.mjs';
import { podFaults } from './kubernetes-pods.mjs';
import { scalingFaults } from './kubernetes-scaling.mjs';
import { settingFaults } from './kubernetes-settings.mjs';
import { typeFaults } from './kubernetes-types.mjs';
import { run } from './tools.mjs';

/**
 * Checks what Helm makes of the chart with each example: against the renderings that are kept, the types of Kubernetes and of the
 * operators, each other, and the settings. Where there is no Helm, the kept renderings are checked.
 */
export async function checkKubernetes(root, leaveOut) {
  const helm = findHelm(leaveOut);
  const rendered = VARIANTS.map((variant) => ({ variant, ...documentsOf(helm, root, variant) }));
  const broken = rendered.flatMap(({ variant, fault }) => (fault ? [`${variant.values}: ${fault}`] : []));
  if (broken.length > 0) return broken;
  const examples = exampleDocuments(root);
  const documents = rendered.flatMap((one) => one.documents);
  const faults = [
    ...(helm === null ? [] : [...lintFaults(helm, root), ...nameFaults(helm, root), ...fileFaults(root, documents)]),
    ...[...documents, ...examples].flatMap(podFaults),
    ...rendered.flatMap((one) => [
      ...linkFaults(root, one.documents),
      ...settingFaults(root, one.variant, one.documents),
    ]),
    ...scalingFaults(root, rendered.find(({ variant }) => variant.name === 'production').documents),
    ...versionFaults(root),
  ];
  // The compiler takes the longest.
  if (faults.length === 0) faults.push(...(await typeFaults([...documents, ...examples])));
  return [...faults, ...rendered.flatMap(({ variant, text }) => keptFaults(root, variant, text))];
}

function documentsOf(helm, root, variant) {
  if (helm !== null) return render(helm, root, variant);
  const text = readFileSync(join(root, variant.rendered), 'utf8');
  return { text, documents: parsed(text, variant.rendered) };
}

function exampleDocuments(root) {
  const files = readdirSync(join(root, EXAMPLES), { recursive: true }).filter((file) => file.endsWith('.yaml'));
  return files
    .flatMap((file) => parsed(readFileSync(join(root, EXAMPLES, file), 'utf8'), `${EXAMPLES}/${file}`))
    .filter(({ manifest }) => manifest.kind !== undefined);
}

function lintFaults(helm, root) {
  return VARIANTS.flatMap(({ values }) => {
    const { ok, output } = run(helm, ['lint', '--strict', join(root, CHART), '--values', join(root, values)]);
    return ok ? [] : [`helm lint --values ${values}:\n${withoutNotes(output)}`];
  });
}

function keptFaults(root, { rendered }, text) {
  const file = join(root, rendered);
  const kept = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const now = text === kept ? text : keptText(text);
  return now === kept ? [] : [`${rendered} is stale: run npm run helm, and read what changed`];
}

/** Image tags follow appVersion, and a chart of another release would be published over an old one. */
function versionFaults(root) {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const chart = parse(readFileSync(join(root, CHART, 'Chart.yaml'), 'utf8'));
  return ['version', 'appVersion']
    .filter((name) => chart[name] !== version)
    .map((name) => `${CHART}/Chart.yaml: its ${name} is ${chart[name]}, the release is ${version}`);
}

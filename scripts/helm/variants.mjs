import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { run } from '../check-infra/tools.mjs';

export const CHART = 'infra/helm/flotilla';
export const EXAMPLES = 'infra/helm/examples';
const RENDERED = 'infra/helm/rendered';
/** Which parts of the cluster exist is not asked when a chart is only rendered. */
const KUBERNETES = '1.35';

/** The examples whose renderings are kept. */
export const VARIANTS = [
  'minimal',
  'production',
  'managed-stores',
  'token-sidecar',
  'cloudnative-pg-and-sentinel/values',
  'redis-cluster/values',
].map((path) => {
  const name = path.replace('/values', '');
  return {
    name,
    values: `${EXAMPLES}/${path}.yaml`,
    rendered: `${RENDERED}/${name}.yaml`,
    release: 'flotilla',
    namespace: 'flotilla',
  };
});

/** The resources that Helm makes of the chart for a release: {text, documents} or {fault}. */
export function render(helm, root, { release, namespace, values, set = [] }) {
  const { ok, output, stdout } = run(helm, [
    'template',
    release,
    join(root, CHART),
    ...['--namespace', namespace, '--kube-version', KUBERNETES, '--values', join(root, values)],
    ...set.flatMap((one) => ['--set', one]),
  ]);
  return ok ? { text: stdout, documents: parsed(stdout, `${values} as ${release}`) } : { fault: withoutNotes(output) };
}

/** Documents with the name of their file, for messages. */
export function parsed(text, file) {
  return parseAllDocuments(text)
    .map((one) => ({ file, manifest: one.toJS() }))
    .filter(({ manifest }) => manifest !== null);
}

/** Helm's own notes about links and its --debug. */
export function withoutNotes(output) {
  return output
    .split('\n')
    .filter((line) => !/^level=INFO|^Use --debug|^$/.test(line))
    .join('\n');
}

/** Objects that carry a file of the repository as it is; the check compares them with that file instead. */
const CARRIES_FILES = [/^kind: PrometheusRule$/m, /^data:\n {2}[\w-]+\.json: /m];

/** The part of a rendering that is kept: without files that the repository has anyway. */
export function keptText(text) {
  const objects = text.split(/^---\n/m);
  const head = '# Rendered by `npm run helm`; `npm run check:infra` compares it.\n';
  return head + objects.filter((object) => !CARRIES_FILES.some((sign) => sign.test(object))).join('---\n');
}

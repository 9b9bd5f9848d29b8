import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { nameOf } from './kubernetes-types.mjs';

const SETTINGS = 'infra/kubernetes/installation/kustomization.yaml';
const DOCS = 'docs/operations/postgres.md';
/** Commands that operators run beside it, and what the server keeps for itself. */
const BESIDE = 6;

/** How many pods there may be at most, and whether what they share is enough for all of them. */
export function scalingFaults(root, documents) {
  const named = (kind) => documents.filter(({ manifest }) => manifest.kind === kind);
  const scalers = [...named('ScaledObject'), ...named('HorizontalPodAutoscaler')];
  const settings = settingsOf(root);
  return [
    ...connectionFaults(root, named('Deployment'), scalers, settings),
    ...pollingFaults(scalers, settings),
    ...named('PodMonitor')
      .filter(({ manifest }) => !manifest.metadata.labels?.release)
      .map((document) => `${nameOf(document)}: kube-prometheus-stack looks at monitors with a label release alone`),
  ];
}

function settingsOf(root) {
  const { configMapGenerator } = parse(readFileSync(join(root, SETTINGS), 'utf8'));
  return Object.fromEntries(configMapGenerator.flatMap(({ literals }) => literals).map((line) => line.split(/=(.*)/s)));
}

/** At the highest number of pods, one more of each kind while it is replaced. */
function connectionFaults(root, deployments, scalers, settings) {
  const needed = deployments.map(({ manifest }) => {
    const { name } = manifest.metadata;
    const scaler = scalers.find((one) => one.manifest.spec.scaleTargetRef.name === name)?.manifest.spec;
    const pods = (scaler?.maxReplicaCount ?? scaler?.maxReplicas) + manifest.spec.strategy.rollingUpdate.maxSurge;
    return pods * settings[name === 'api' ? 'API_DATABASE_CONNECTIONS' : 'WORKER_DATABASE_CONNECTIONS'];
  });
  const total = needed.reduce((sum, connections) => sum + connections, BESIDE);
  const text = readFileSync(join(root, DOCS), 'utf8');
  const documented = Number(/`max_connections = (\d+)`/.exec(text)?.[1]);
  if (!(total <= documented))
    return [`${DOCS}: max_connections = ${documented}, but pods may open ${total} connections`];
  return text.includes(`= ${total},`) ? [] : [`${DOCS}: it does not count the ${total} connections that pods may open`];
}

/** There is a pod for as many bots as one polls at once. */
function pollingFaults(scalers, { POLLING_CONCURRENCY: concurrency }) {
  const polling = scalers.find(({ manifest }) => manifest.spec.scaleTargetRef.name === 'worker-polling');
  const byBots = polling?.manifest.spec.triggers.find(({ metadata }) => metadata.query?.includes('flotilla_bots'));
  if (byBots === undefined) return ['worker-polling does not scale by the number of bots'];
  if (byBots.metricType !== 'AverageValue') return [`${nameOf(polling)}: its bots are not divided among the pods`];
  const { threshold } = byBots.metadata;
  return threshold === concurrency
    ? []
    : [`${nameOf(polling)}: a pod for ${threshold} bots, but POLLING_CONCURRENCY is ${concurrency}`];
}

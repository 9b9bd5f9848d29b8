import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { nameOf } from './kubernetes-types.mjs';

const SETTINGS = 'infra/kubernetes/installation/kustomization.yaml';
const DOCS = 'docs/operations/postgres.md';
/** Connections for the operators' commands, and those that the server reserves. */
const BESIDE = 6;

/** Checks that the highest number of pods fits the resources that they share. */
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

/** Counts the highest number of pods, plus one of each kind during a rollout. */
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

/** The number of bots per pod must equal the number of bots that a pod polls at once. */
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

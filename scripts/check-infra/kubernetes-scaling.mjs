import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { component } from './kubernetes-links.mjs';
import { nameOf } from './kubernetes-types.mjs';

const DOCS = 'docs/operations/postgres.md';
/** Connections for the operators' commands, and those that the server reserves. */
const BESIDE = 6;
/** The memory of a poll over TLS, in KB: docs/operations/scale.md. */
const POLL_KB = 127;

/** Checks that the highest number of pods of an example fits the resources that they share, and that bots fit into a pod. */
export function scalingFaults(root, documents) {
  const named = (...kinds) => documents.filter(({ manifest }) => kinds.includes(manifest.kind));
  const scalers = named('ScaledObject', 'HorizontalPodAutoscaler');
  return [...connectionFaults(root, named('Deployment'), scalers), ...pollingFaults(named('Deployment'), scalers)];
}

/** Counts the highest number of pods, plus one of each kind during a rollout. */
function connectionFaults(root, deployments, scalers) {
  const needed = deployments.map(({ manifest }) => {
    const scaler = scalers.find((one) => component(one.manifest) === component(manifest))?.manifest.spec;
    const pods = (scaler?.maxReplicaCount ?? scaler?.maxReplicas) + manifest.spec.strategy.rollingUpdate.maxSurge;
    const setting = component(manifest) === 'api' ? 'API_DATABASE_CONNECTIONS' : 'WORKER_DATABASE_CONNECTIONS';
    return pods * variable(manifest, setting);
  });
  const total = needed.reduce((sum, connections) => sum + connections, BESIDE);
  const text = readFileSync(join(root, DOCS), 'utf8');
  const documented = Number(/`max_connections = (\d+)`/.exec(text)?.[1]);
  if (!(total <= documented))
    return [`${DOCS}: max_connections = ${documented}, but pods may open ${total} connections`];
  return text.includes(`= ${total},`) ? [] : [`${DOCS}: it does not count the ${total} connections that pods may open`];
}

/** The number of bots per pod must equal the number of bots that a pod polls at once, and its memory must suffice for them. */
function pollingFaults(deployments, scalers) {
  const isPolling = ({ manifest }) => component(manifest) === 'worker-polling';
  const polling = scalers.find(isPolling);
  const { manifest } = deployments.find(isPolling);
  const concurrency = variable(manifest, 'POLLING_CONCURRENCY');
  const limit = Number(/^(\d+)Mi$/.exec(manifest.spec.template.spec.containers[0].resources.limits.memory)?.[1]);
  const needed = Math.ceil((concurrency * POLL_KB) / 1024);
  const small = limit > needed * 1.2 ? [] : [`${concurrency} polls over TLS take ${needed} Mi of ${limit} Mi of a pod`];
  const byBots = polling?.manifest.spec.triggers.find(({ metadata }) => metadata.query?.includes('flotilla_bots'));
  if (byBots === undefined) return ['worker-polling does not scale by the number of bots'];
  if (byBots.metricType !== 'AverageValue') return [`${nameOf(polling)}: its bots are not divided among the pods`];
  const { threshold } = byBots.metadata;
  if (Number(threshold) === concurrency) return small;
  return [`${nameOf(polling)}: a pod for ${threshold} bots, but POLLING_CONCURRENCY is ${concurrency}`, ...small];
}

function variable(manifest, name) {
  return Number(manifest.spec.template.spec.containers[0].env.find((one) => one.name === name)?.value);
}

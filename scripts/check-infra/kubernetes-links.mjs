import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { nameOf } from './kubernetes-types.mjs';

/** Checks what schemas cannot, within one rendering: names, labels and ports that must match. */
export function linkFaults(root, documents) {
  const named = (...kinds) => documents.filter(({ manifest }) => kinds.includes(manifest.kind));
  const deployments = named('Deployment');
  const services = named('Service');
  const scalers = named('ScaledObject', 'HorizontalPodAutoscaler');
  return [
    ...deployments.flatMap((document) =>
      selectorFaults(document, document.manifest.spec.selector.matchLabels, [document]),
    ),
    ...named('PodDisruptionBudget').flatMap((document) =>
      selectorFaults(document, document.manifest.spec.selector.matchLabels, deployments),
    ),
    ...services.flatMap((document) => serviceFaults(document, deployments)),
    ...named('Ingress').flatMap((document) => ingressFaults(document, services)),
    ...named('HTTPRoute').flatMap((document) => routeFaults(document, services)),
    ...scalers.flatMap((document) => scalerFaults(document, deployments)),
    ...deployments.flatMap((document) => replicaFaults(document, scalers)),
    ...roleFaults(root, deployments, named('ScaledObject')),
    ...rolloutFaults(root, deployments),
    ...named('PodMonitor')
      .filter(({ manifest }) => !manifest.metadata.labels.release)
      .map((document) => `${nameOf(document)}: kube-prometheus-stack looks at monitors with a label release alone`),
  ];
}

function selectorFaults(document, labels, targets) {
  const meets = targets.some((target) => selects(labels, target));
  return meets ? [] : [`${nameOf(document)}: its selector finds no pod`];
}

function selects(labels, { manifest }) {
  const own = manifest.spec.template.metadata.labels;
  return Object.entries(labels).every(([key, value]) => own[key] === value);
}

function serviceFaults(document, deployments) {
  const { selector, ports } = document.manifest.spec;
  const target = deployments.find((deployment) => selects(selector, deployment));
  if (target === undefined) return [`${nameOf(document)}: its selector finds no pod`];
  const known = target.manifest.spec.template.spec.containers.flatMap((container) =>
    container.ports.map(({ name }) => name),
  );
  return ports
    .filter(({ targetPort }) => !known.includes(targetPort))
    .map(({ targetPort }) => `${nameOf(document)}: no pod has a port ${targetPort}`);
}

function ingressFaults(document, services) {
  const backends = document.manifest.spec.rules.flatMap(({ http }) => http.paths.map(({ backend }) => backend.service));
  return backends.flatMap(({ name, port }) => portFaults(document, services, name, (one) => one.name === port.name));
}

/** A rule that repeats, mirrors or splits requests would carry out calls twice. */
function routeFaults(document, services) {
  return document.manifest.spec.rules.flatMap((rule) => [
    ...(rule.retry || rule.filters ? [`${nameOf(document)}: it may send a request twice`] : []),
    ...(rule.timeouts?.request ? [] : [`${nameOf(document)}: the Gateway's own timeout would cut long polls`]),
    ...rule.backendRefs.flatMap(({ name, port }) => portFaults(document, services, name, (one) => one.port === port)),
  ]);
}

function portFaults(document, services, name, isPort) {
  const service = services.find(({ manifest }) => manifest.metadata.name === name);
  const known = service?.manifest.spec.ports.some(isPort);
  return known ? [] : [`${nameOf(document)}: there is no service ${name} with such a port`];
}

function scalerFaults(document, deployments) {
  const { name } = document.manifest.spec.scaleTargetRef;
  const target = deployments.find(({ manifest }) => manifest.metadata.name === name);
  return target === undefined ? [`${nameOf(document)}: there is no deployment ${name}`] : [];
}

/** Either an operator or one scaler sets the number of pods. */
function replicaFaults(document, scalers) {
  const { metadata, spec } = document.manifest;
  const own = scalers.filter(({ manifest }) => manifest.spec.scaleTargetRef.name === metadata.name);
  const setters = own.length + (spec.replicas === undefined ? 0 : 1);
  return setters === 1 ? [] : [`${nameOf(document)}: its replicas are set ${setters} times`];
}

/** Each role of the worker needs a deployment; a scaler by age must use the age of the role's own work. */
function roleFaults(root, deployments, scalers) {
  const config = readFileSync(join(root, 'packages/domain/src/startup/worker-settings.ts'), 'utf8');
  const roles = [.../const ROLES = \[(.*?)\]/s.exec(config)[1].matchAll(/'(\w+)'/g)].map(([, role]) => role);
  return roles.flatMap((role) => {
    const deployment = deployments.find(({ manifest }) => component(manifest) === `worker-${role}`);
    const env = deployment?.manifest.spec.template.spec.containers[0].env ?? [];
    const scaler = scalers.find(({ manifest }) => component(manifest) === `worker-${role}`);
    const query = scaler?.manifest.spec.triggers[0].metadata.query;
    return [
      ...(env.some((one) => one.name === 'WORKER_ROLES' && one.value === role)
        ? []
        : [`no deployment has the role ${role} alone`]),
      ...(query === undefined || query.includes(`kind="${role}"`) ? [] : [`${nameOf(scaler)}: it looks at other work`]),
    ];
  });
}

/** The kind of pod that an object is for. */
export function component({ metadata }) {
  return metadata.labels['app.kubernetes.io/component'];
}

/** The rollout must replace pods as docs/operations/upgrade.md promises. */
function rolloutFaults(root, deployments) {
  const docs = readFileSync(join(root, 'docs/operations/upgrade.md'), 'utf8');
  return deployments.flatMap((document) => {
    const { minReadySeconds, strategy, template } = document.manifest.spec;
    const { periodSeconds } = template.spec.containers[0].readinessProbe;
    const own = { minReadySeconds, ...strategy.rollingUpdate, periodSeconds };
    return Object.entries(own).flatMap(([name, value]) => {
      const said = [...docs.matchAll(new RegExp(`\`${name}: (\\d+)\``, 'g'))].map(([, number]) => Number(number));
      return said.length > 0 && said.every((number) => number === value)
        ? []
        : [
            `${nameOf(document)}: its ${name} is ${value}, docs/operations/upgrade.md says ${said.join(', ') || 'nothing'}`,
          ];
    });
  });
}

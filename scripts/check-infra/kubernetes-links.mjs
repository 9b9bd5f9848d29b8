import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { nameOf } from './kubernetes-types.mjs';

const SECRET = 'flotilla-secrets';
const SETTINGS = 'flotilla-settings';
/** The longest time from SIGTERM to the end of a process. */
const DRAIN_SECONDS = 25;

/** Checks what schemas cannot: names, labels and ports that must match, and our rules for pods. */
export function linkFaults(root, documents) {
  const named = (kind) => documents.filter(({ manifest }) => manifest.kind === kind);
  const deployments = named('Deployment');
  const pods = [...deployments, ...named('Job')];
  return [
    ...pods.flatMap(podFaults),
    ...named('Secret').map((document) => `${nameOf(document)}: a Secret is not kept in the repository`),
    ...deployments.flatMap((document) =>
      selectorFaults(document, document.manifest.spec.selector.matchLabels, [document]),
    ),
    ...named('PodDisruptionBudget').flatMap((document) =>
      selectorFaults(document, document.manifest.spec.selector.matchLabels, deployments),
    ),
    ...named('Service').flatMap((document) => serviceFaults(document, deployments)),
    ...named('Ingress').flatMap((document) => ingressFaults(document, named('Service'))),
    ...[...named('ScaledObject'), ...named('HorizontalPodAutoscaler')].flatMap((document) =>
      scalerFaults(document, deployments),
    ),
    ...roleFaults(root, deployments, named('ScaledObject')),
    ...rolloutFaults(root, deployments),
  ];
}

function podFaults(document) {
  const { spec } = document.manifest.spec.template;
  const faults = [];
  const expect = (holds, message) => holds || faults.push(`${nameOf(document)}: ${message}`);
  expect(
    spec.securityContext?.runAsNonRoot && spec.securityContext.seccompProfile?.type === 'RuntimeDefault',
    'not restricted',
  );
  expect(spec.automountServiceAccountToken === false, 'it is given a service account token');
  for (const container of spec.containers) {
    const { securityContext: context, resources, envFrom = [], env = [], ports = [] } = container;
    expect(
      context?.allowPrivilegeEscalation === false && context.readOnlyRootFilesystem,
      'its container is not restricted',
    );
    expect(context?.capabilities?.drop?.includes('ALL'), 'its container keeps capabilities');
    expect(resources?.limits?.memory && resources.requests?.cpu, 'its container has no limits');
    for (const { configMapRef, secretRef } of envFrom) {
      expect((configMapRef?.name ?? SETTINGS) === SETTINGS, `${configMapRef?.name} is not generated`);
      expect((secretRef?.name ?? SECRET) === SECRET, `${secretRef?.name} is not the documented Secret`);
    }
    expect(
      env.every(({ valueFrom }) => (valueFrom?.secretKeyRef?.name ?? SECRET) === SECRET),
      'it refers to another Secret',
    );
    if (document.manifest.kind === 'Job') continue;
    expect(
      spec.terminationGracePeriodSeconds > DRAIN_SECONDS,
      `it is killed before it has drained (${DRAIN_SECONDS} s)`,
    );
    for (const probe of ['startupProbe', 'readinessProbe', 'livenessProbe']) {
      const port = container[probe]?.httpGet?.port;
      expect(
        ports.some(({ name }) => name === port),
        `its ${probe} asks port ${port}, which it does not have`,
      );
    }
  }
  return faults;
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
  return backends.flatMap(({ name, port }) => {
    const service = services.find(({ manifest }) => manifest.metadata.name === name);
    const known = service?.manifest.spec.ports.some((one) => one.name === port.name);
    return known ? [] : [`${nameOf(document)}: there is no service ${name} with a port ${port.name}`];
  });
}

function scalerFaults(document, deployments) {
  const { name } = document.manifest.spec.scaleTargetRef;
  const target = deployments.find(({ manifest }) => manifest.metadata.name === name);
  if (target === undefined) return [`${nameOf(document)}: there is no deployment ${name}`];
  return target.manifest.spec.replicas === undefined ? [] : [`${nameOf(target)}: its replicas are set twice`];
}

/** Each role of the worker needs a deployment, and a scaler that uses the age of the role's own work. */
function roleFaults(root, deployments, scalers) {
  const config = readFileSync(join(root, 'apps/worker/src/config.ts'), 'utf8');
  const roles = [.../const ROLES = \[(.*?)\]/s.exec(config)[1].matchAll(/'(\w+)'/g)].map(([, role]) => role);
  return roles.flatMap((role) => {
    const name = `worker-${role}`;
    const deployment = deployments.find(({ manifest }) => manifest.metadata.name === name);
    const env = deployment?.manifest.spec.template.spec.containers[0].env ?? [];
    const scaler = scalers.find(({ manifest }) => manifest.spec.scaleTargetRef.name === name);
    const query = scaler?.manifest.spec.triggers[0].metadata.query;
    return [
      ...(env.some((one) => one.name === 'WORKER_ROLES' && one.value === role)
        ? []
        : [`no deployment has the role ${role} alone`]),
      ...(scaler ? [] : [`nothing scales the role ${role}`]),
      ...(query === undefined || query.includes(`kind="${role}"`) ? [] : [`${nameOf(scaler)}: it looks at other work`]),
    ];
  });
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

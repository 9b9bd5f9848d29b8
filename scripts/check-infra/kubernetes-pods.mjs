import { nameOf } from './kubernetes-types.mjs';

/** The longest time from SIGTERM to the end of a process. */
const DRAIN_SECONDS = 25;
const SECRETS = ['Secret'];

/** Our rules for pods: restricted as Kubernetes' standard says, with limits, and with time to drain. */
export function podFaults(document) {
  const { manifest } = document;
  if (SECRETS.includes(manifest.kind)) return [`${nameOf(document)}: a Secret is not kept in the repository`];
  const pods = podsOf(manifest);
  if (pods === undefined) return [];
  const faults = [];
  const expect = (holds, message) => holds || faults.push(`${nameOf(document)}: ${message}`);
  const { securityContext: context } = pods;
  expect(context?.runAsNonRoot && context.seccompProfile?.type === 'RuntimeDefault', 'not restricted');
  expect(context?.runAsUser > 0 && context.runAsGroup > 0, 'its user is not named by a number');
  expect(pods.automountServiceAccountToken === false, 'it is given a service account token');
  expect(!pods.hostNetwork && !pods.hostPID && !pods.hostIPC, 'it shares a namespace of its node');
  for (const container of [...(pods.initContainers ?? []), ...pods.containers]) containerFaults(container, expect);
  if (manifest.kind === 'Deployment') deploymentFaults(pods, expect);
  return faults;
}

/** The specification of the pods that an object makes; undefined for one that makes none. */
export function podsOf({ kind, spec }) {
  return kind === 'CronJob' ? spec.jobTemplate.spec.template.spec : spec?.template?.spec;
}

function containerFaults({ securityContext: context, resources, env = [] }, expect) {
  expect(
    context?.allowPrivilegeEscalation === false && context.readOnlyRootFilesystem,
    'its container is not restricted',
  );
  expect(context?.capabilities?.drop?.includes('ALL'), 'its container keeps capabilities');
  expect(
    resources?.limits?.memory && resources.requests?.cpu && resources.requests?.memory,
    'its container has no limits',
  );
  const names = env.map(({ name }) => name);
  const twice = names.filter((name, at) => names.indexOf(name) !== at);
  expect(twice.length === 0, `it sets ${twice.join(', ')} twice, which cannot be applied`);
}

function deploymentFaults(pods, expect) {
  expect(pods.terminationGracePeriodSeconds > DRAIN_SECONDS, `it is killed before it has drained (${DRAIN_SECONDS} s)`);
  const [container] = pods.containers;
  for (const probe of ['startupProbe', 'readinessProbe', 'livenessProbe']) {
    const port = container[probe]?.httpGet?.port;
    expect(
      container.ports.some(({ name }) => name === port),
      `its ${probe} asks port ${port}, which it does not have`,
    );
  }
  expect(container.startupProbe.httpGet.path === '/livez', 'a pod without its stores would be killed at its start');
}

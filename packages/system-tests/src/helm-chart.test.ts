import { rm, writeFile } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { throwAwayDir } from '@flotilla/testing/throw-away-dir.ts';
import { expect, test } from '@jest/globals';

const ROOT = resolve(import.meta.dirname, '../../..');
const PRODUCTION = 'infra/helm/examples/production.yaml';

type Env = { name: string; value?: string };
type Container = { name: string; image: string; env: Env[]; volumeMounts?: { name: string }[] };
type Pods = { initContainers?: Container[]; containers: Container[]; volumes?: { name: string }[] };
type Template = { metadata: { annotations?: Record<string, string> }; spec: Pods };
type Manifest = {
  kind: string;
  metadata: { name: string; labels: Record<string, string>; annotations?: Record<string, string> };
  spec: { replicas?: number; suspend?: boolean; template?: Template; jobTemplate?: { spec: { template: Template } } };
  stringData?: Record<string, string>;
};
type Rendered = { fault?: string; documents: { manifest: Manifest }[] };
type Variant = { release: string; namespace: string; values: string; set: string[] };

const { findHelm }: { findHelm(leaveOut: () => void): string | null } = await import(
  join(ROOT, 'scripts/helm/find-helm.mjs')
);
const { render }: { render(helm: string, root: string, variant: Variant): Rendered } = await import(
  join(ROOT, 'scripts/helm/variants.mjs')
);
const helm = findHelm(() => undefined) ?? '';
/** The package that brings Helm is for Linux on x86-64. */
const withHelm = helm === '' ? test.skip : test;

const rendered = (...set: string[]) =>
  render(helm, ROOT, { release: 'flotilla', namespace: 'flotilla', values: PRODUCTION, set });
const manifests = (...set: string[]) => rendered(...set).documents.map(({ manifest }) => manifest);
const ofKind = (all: Manifest[], kind: string) => all.filter((one) => one.kind === kind);
const podsOf = ({ spec }: Manifest) => (spec?.template ?? spec?.jobTemplate?.spec.template)?.spec;
const api = (all: Manifest[]) => all.find((one) => one.kind === 'Deployment' && one.metadata.name === 'flotilla-api')!;
const OWN_SECRETS = ['DATABASE_URL=postgres://a', 'REDIS_URL=redis://a', 'ENCRYPTION_KEY=first'];
const ownSecrets = OWN_SECRETS.map((one) => `secrets.values.${one}`);

withHelm.each([
  ['host=', 'host: name the host'],
  ['trustedProxies=null', 'trustedProxies: name the ranges'],
  ['networkPolicies.requestsFrom=null', 'networkPolicies.requestsFrom: name the pods'],
  ['gateway.parentRefs=null', 'gateway.parentRefs: name the Gateway'],
  ['monitoring.podMonitor.enabled=false', 'autoscaling.prometheus.selector'],
  ['backup.claim=', 'backup.claim: name the PersistentVolumeClaim'],
  ['secrets.values.DATABASE_URL=postgres://a', 'secrets.values: REDIS_URL is missing'],
  ['settings.REDIS_URL=redis://a', "invalid propertyName 'REDIS_URL'"],
  ['settings.LLM_API_KEY=a', "invalid propertyName 'LLM_API_KEY'"],
  ['workers.polling.botsPerPod=20001', 'botsPerPod'],
  ['fullnameOverride=1st', 'fullnameOverride'],
])('the chart refuses %s', (set, told) => {
  expect(rendered(set).fault).toContain(told);
});

withHelm('a stopped release has no pods, nothing that makes some, and does not touch the database', () => {
  const all = manifests('stopped=true');
  expect(ofKind(all, 'Deployment').map(({ spec }) => spec.replicas)).toEqual([0, 0, 0, 0, 0, 0, 0]);
  for (const kind of ['Job', 'ScaledObject', 'HorizontalPodAutoscaler']) expect(ofKind(all, kind)).toEqual([]);
  expect(ofKind(all, 'CronJob').map(({ spec }) => spec.suspend)).toEqual([true, true, true]);
});

withHelm(
  'pods are replaced when a Secret of the chart changes, and the migration has its value before the pods',
  () => {
    const [before, after] = [
      manifests(...ownSecrets),
      manifests(...ownSecrets, 'secrets.values.ENCRYPTION_KEY=second'),
    ];
    const checksum = (all: Manifest[]) => api(all).spec.template?.metadata.annotations?.['checksum/secrets'];
    expect(checksum(before)).toMatch(/^[0-9a-f]{64}$/);
    expect(checksum(after)).not.toBe(checksum(before));
    expect(ofKind(before, 'Secret')).toEqual([
      expect.objectContaining({ metadata: expect.objectContaining({ name: 'flotilla' }) }),
      expect.objectContaining({ stringData: { DATABASE_URL: 'postgres://a' } }),
    ]);
    const [job] = ofKind(before, 'Job');
    expect(JSON.stringify(podsOf(job!))).toContain('"secretKeyRef":{"name":"flotilla-migrate"');
  },
);

withHelm(
  'settings are text, a digest counts more than the tag, and an environment of your own replaces the chart’s',
  () => {
    const digest = `sha256:${'a'.repeat(64)}`;
    const all = manifests(
      'settings.REDIS_MEMORY_LIMIT=2147483648',
      `image.digests.api=${digest}`,
      'extraEnv[0].name=LOG_LEVEL',
      'extraEnv[0].value=debug',
    );
    const { image, env } = podsOf(api(all))!.containers[0]!;
    expect(image).toBe(`ghcr.io/your-organisation/flotilla/api@${digest}`);
    expect(env).toContainEqual({ name: 'REDIS_MEMORY_LIMIT', value: '2147483648' });
    expect(env.filter(({ name }) => name === 'LOG_LEVEL')).toEqual([{ name: 'LOG_LEVEL', value: 'debug' }]);
  },
);

withHelm('numbers of a file of values arrive as they are written there', async () => {
  const folder = await throwAwayDir();
  const values = join(folder, 'values.yaml');
  const settings = {
    OTEL_TRACES_SAMPLER_ARG: 0.1,
    REDIS_MEMORY_LIMIT: 2147483648,
    LLM_TIMEOUT_MS: 12345678.25,
    MESSAGE_RETENTION_DAYS: 0,
    AUTO_REGISTER_BOTS: true,
  };
  const file = { host: 'flotilla.example.com', networkPolicies: { enabled: false }, settings };
  await writeFile(values, JSON.stringify({ ...file, migration: { deadlineSeconds: 2_000_000 } }));
  const { documents } = render(helm, ROOT, {
    release: 'flotilla',
    namespace: 'flotilla',
    values: relative(ROOT, values),
    set: [],
  });
  await rm(folder, { recursive: true });
  const all = documents.map(({ manifest }) => manifest);
  const env = Object.fromEntries(podsOf(api(all))!.containers[0]!.env.map(({ name, value }) => [name, value]));
  const asText = Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, String(value)]));
  expect(env).toMatchObject(asText);
  expect(ofKind(all, 'Job')[0]!.spec).toMatchObject({ activeDeadlineSeconds: 2_000_000 });
});

withHelm(
  'every pod logs in with the commands that print passwords, and has the sidecar and the volume they need',
  () => {
    const all = manifests(
      'settings.DATABASE_PASSWORD_COMMAND=file:/passwords/database',
      'settings.REDIS_PASSWORD_COMMAND=file:/passwords/redis',
      'trustedCertificates.configMap=stores-ca',
      'pods.initContainers[0].name=tokens',
      'pods.initContainers[0].restartPolicy=Always',
      'pods.volumes[0].name=passwords',
      'pods.volumeMounts[0].name=passwords',
      'pods.volumeMounts[0].mountPath=/passwords',
    );
    const pods = all.flatMap((one) => podsOf(one) ?? []);
    const commands = pods.map(({ containers: [own] }) => [
      own!.name,
      ...own!.env.flatMap(({ name, value }) => (name.endsWith('_PASSWORD_COMMAND') ? [value] : [])),
    ]);
    const [database, redis] = ['file:/passwords/database', 'file:/passwords/redis'];
    expect(Object.fromEntries(commands.map(([name, ...values]) => [name, values.sort()]))).toEqual({
      ...{ api: [database, redis], worker: [database, redis], 'rotate-keys': [database, redis] },
      ...{ migrate: [database], backup: [database], restore: [database] },
    });
    expect(pods).toHaveLength(11);
    for (const { initContainers, containers, volumes } of pods) {
      expect(initContainers).toEqual([{ name: 'tokens', restartPolicy: 'Always' }]);
      const mounted = containers[0]!.volumeMounts?.map(({ name }) => name);
      expect(mounted).toEqual(volumes?.map(({ name }) => name));
      expect(mounted).toEqual(expect.arrayContaining(['certificates', 'passwords']));
    }
  },
);

withHelm('a setting that does not exist, or has a value that no process takes, is refused', () => {
  const faultOf = (set: string) => {
    const names = { release: 'flotilla', namespace: 'flotilla', values: 'infra/helm/examples/minimal.yaml' };
    return render(helm, ROOT, { ...names, set: [set] }).fault;
  };
  expect(faultOf('settings.MESSAGE_RETENTION_DAYS=90')).toBeUndefined();
  expect(faultOf('settings.MESSAGE_RETENTION_DAY=90')).toContain('MESSAGE_RETENTION_DAY');
  expect(faultOf('settings.LOG_LEVEL=loud')).toContain('LOG_LEVEL');
});

import { EXAMPLES, render } from '../helm/variants.mjs';
import { podsOf } from './kubernetes-pods.mjs';
import { nameOf } from './kubernetes-types.mjs';

const VALUES = `${EXAMPLES}/production.yaml`;
const LONG = 'the-fleet-of-a-department-with-an-unusually-long-nam';
/** Releases that share a namespace: of the longest names, which differ in their last letter, and with what a Service refuses. */
const RELEASES = [`${LONG}e`, `${LONG}s`, 'bots.eu', 'bots-eu', '7-bots', 'flotilla'];
const NAMESPACE = 'bots';
const MOST = 63;
/** A CronJob adds 11 characters for the names of its jobs. */
const MOST_OF_CRON_JOB = 52;
const DNS_LABEL = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;
const LABEL = /^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$/;

/** Whatever a release and its namespace are called, names and labels must be valid, and two releases must not meet. */
export function nameFaults(helm, root) {
  const releases = RELEASES.map((release) => {
    const options = {
      release,
      namespace: NAMESPACE,
      values: VALUES,
      set: ['secrets.values.DATABASE_URL=x'].concat(SECRETS),
    };
    return { release, ...render(helm, root, options) };
  });
  const broken = releases.flatMap(({ release, fault }) => (fault ? [`the release ${release}: ${fault}`] : []));
  if (broken.length > 0) return broken;
  return releases.flatMap(({ release, documents }) => [
    ...documents.flatMap((document) => ownFaults(release, document)),
    ...releases
      .filter((other) => other.release < release)
      .flatMap((other) => meetings(documents, other.documents, `${release} and ${other.release}`)),
  ]);
}

const SECRETS = ['secrets.values.REDIS_URL=x', 'secrets.values.ENCRYPTION_KEY=x'];

function ownFaults(release, document) {
  const { kind, metadata, spec } = document.manifest;
  const most = kind === 'CronJob' ? MOST_OF_CRON_JOB : MOST;
  const labels = Object.entries({ ...metadata.labels, ...spec?.template?.metadata?.labels });
  return [
    ...(metadata.name.length <= most || kind === 'NetworkPolicy' ? [] : [`${nameOf(document)}: its name is too long`]),
    ...(DNS_LABEL.test(metadata.name) ? [] : [`${nameOf(document)}: its name is not allowed`]),
    ...(metadata.namespace === NAMESPACE ? [] : [`${nameOf(document)}: it is in the namespace ${metadata.namespace}`]),
    ...labels
      .filter(([, value]) => value.length > MOST || !LABEL.test(value))
      .map(([label, value]) => `${nameOf(document)}: the label ${label} cannot be ${value}`),
    ...queryFaults(release, document),
  ];
}

/** The targets of a scaler must be of this installation, as the monitor names it. */
function queryFaults(release, document) {
  const { kind, spec } = document.manifest;
  const installation = release === 'flotilla' ? NAMESPACE : `${NAMESPACE}/${release}`;
  if (kind === 'PodMonitor') {
    const relabelings = spec.podMetricsEndpoints.flatMap((endpoint) => endpoint.relabelings);
    const named = relabelings.some((one) => one.targetLabel === 'installation' && one.replacement === installation);
    return named ? [] : [`${nameOf(document)}: it does not name its installation ${installation}`];
  }
  if (kind !== 'ScaledObject') return [];
  const own = `namespace="${NAMESPACE}",installation="${installation}"`;
  return spec.triggers
    .filter(({ metadata }) => !metadata.query.includes(own))
    .map(({ metadata }) => `${nameOf(document)}: another installation may answer ${metadata.query}`);
}

/** Two releases of a namespace share no object, no pod and no Secret. */
function meetings(documents, others, releases) {
  const id = ({ manifest }) => `${manifest.kind} ${manifest.metadata.name}`;
  const taken = new Set(others.map(id));
  const same = documents
    .filter((document) => taken.has(id(document)))
    .map((document) => `${releases} share ${id(document)}`);
  const pods = others.filter(({ manifest }) => podsOf(manifest)).map(({ manifest }) => podLabels(manifest));
  const selected = documents
    .filter(({ manifest }) => pods.some((labels) => selects(manifest, labels)))
    .map((document) => `${releases}: ${nameOf(document)} selects pods of both`);
  return [...same, ...selected];
}

function podLabels({ kind, spec }) {
  return (kind === 'CronJob' ? spec.jobTemplate.spec : spec).template.metadata.labels;
}

function selects({ kind, spec }, labels) {
  const selector =
    kind === 'NetworkPolicy'
      ? spec.podSelector.matchLabels
      : (spec?.selector?.matchLabels ?? (kind === 'Service' && spec.selector));
  return selector ? Object.entries(selector).every(([key, value]) => labels[key] === value) : false;
}

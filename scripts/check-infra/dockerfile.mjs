import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { validate } from 'dockerfile-utils';

const FILE = 'infra/docker/Dockerfile';
const TARGETS = ['api', 'worker', 'migrate', 'simulator', 'maintenance', 'all'];
/** The stage that a target goes on from; of others it is runtime. */
const BASES = { all: 'with-stores' };
const ERROR = 1;

/** Checks the Dockerfile's syntax, and the rules for all our images. */
export async function checkDockerfile(root) {
  const text = readFileSync(join(root, FILE), 'utf8');
  const grammar = validate(text).map(({ range, message, severity }) => {
    return `${FILE}:${range.start.line + 1}: ${severity === ERROR ? '' : 'warning: '}${message}`;
  });
  return [
    ...grammar,
    ...imageFaults(text),
    ...copyFaults(root, text),
    ...manifestFaults(root, text),
    ...versionFaults(root, text),
  ];
}

function imageFaults(text) {
  const stages = new Map(
    text
      .split(/^FROM /m)
      .slice(1)
      .map((stage) => [/ AS (\S+)/.exec(stage)?.[1], stage]),
  );
  const inherited = stages.get('runtime') ?? '';
  const faults = TARGETS.flatMap((target) => {
    const stage = stages.get(target);
    if (stage === undefined) return [`${FILE}: there is no target ${target}`];
    const base = BASES[target] ?? 'runtime';
    return [
      ...(stage.startsWith(`${base} AS`) ? [] : [`${FILE}: ${target} does not go on from ${base}`]),
      ...(/^HEALTHCHECK /m.test(stage) ? [] : [`${FILE}: ${target} has no HEALTHCHECK`]),
      ...(/^(CMD|ENTRYPOINT) \["node"/m.test(stage)
        ? []
        : [`${FILE}: ${target} does not start node itself, which then gets no signals`]),
      ...(new RegExp(`^(CMD|ENTRYPOINT) .*"built/${target}/launch\\.mjs"\\]$`, 'm').test(stage)
        ? []
        : [`${FILE}: ${target} does not start its built file, built/${target}/launch.mjs`]),
      ...(new RegExp(`^COPY --from=\\S+ /flotilla/built/${target} built/${target}$`, 'm').test(stage)
        ? []
        : [`${FILE}: ${target} does not copy its built file to built/${target}`]),
      ...(/^COPY (?!--from=\S+ \S+ built\/)/m.test(stage)
        ? [`${FILE}: ${target} holds more than its built folder`]
        : []),
      ...(/^(USER|RUN) /m.test(stage) ? [`${FILE}: ${target} runs something or changes its user`] : []),
    ];
  });
  if (!/^USER [1-9]\d*:[1-9]\d*$/m.test(inherited))
    faults.push(`${FILE}: runtime has no user that is not root, by number`);
  for (const base of Object.values(BASES)) {
    const stage = stages.get(base) ?? '';
    if (!/^runtime AS/.test(stage)) faults.push(`${FILE}: ${base} does not go on from runtime`);
  }
  if (!/^ENV .*\bRUN_AS=[1-9]\d*\b/m.test(stages.get('all') ?? '')) faults.push(`${FILE}: all goes on as root`);
  if (!/^VOLUME \/data$/m.test(stages.get('all') ?? '')) faults.push(`${FILE}: all keeps its data in no volume`);
  if (!/^STOPSIGNAL SIGTERM$/m.test(inherited)) faults.push(`${FILE}: runtime does not say STOPSIGNAL SIGTERM`);
  if (!/org\.opencontainers\.image\.revision/.test(inherited)) faults.push(`${FILE}: runtime has no OCI labels`);
  return faults;
}

/** Every copied source must exist and get modes that let the image's user read it. */
function copyFaults(root, text) {
  return copies(text).flatMap(({ flags, sources }) => [
    ...sources
      .filter((source) => !existsSync(join(root, source)))
      .map((source) => `${FILE}: COPY ${source}: not there`),
    ...(/--chmod=[0-7]*[4-7]\b/.test(flags)
      ? []
      : [`${FILE}: COPY ${sources[0]}: no --chmod that lets everybody read it`]),
  ]);
}

function copies(text) {
  return [...text.matchAll(/^COPY (?!--from)((?:--\S+ )*)(.+) \S+$/gm)].map(([, flags, sources]) => {
    return { flags, sources: sources.split(' ') };
  });
}

/**
 * Only the workspaces' manifests may decide what is installed: any other file would invalidate the cache more often.
 */
function manifestFaults(root, text) {
  const stages = text.split(/^FROM /m).slice(1);
  const installing = stages.filter((stage) => / AS (manifests|\S+-dependencies)\n/.test(stage));
  const copied = installing.flatMap((stage) => copies(stage).flatMap(({ sources }) => sources));
  const workspaces = ['apps', 'packages'].flatMap((folder) =>
    readdirSync(join(root, folder))
      .map((name) => `${folder}/${name}/package.json`)
      .filter((manifest) => existsSync(join(root, manifest))),
  );
  const wanted = ['package.json', 'package-lock.json', ...workspaces];
  return [
    ...wanted.filter((file) => !copied.includes(file)).map((file) => `${FILE}: npm ci does not know ${file}`),
    ...copied.filter((file) => !wanted.includes(file)).map((file) => `${FILE}: npm ci runs anew when ${file} changes`),
  ];
}

function versionFaults(root, text) {
  const { node } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).devDependencies;
  return text.includes(`NODE_IMAGE=node:${node}-`)
    ? []
    : [`${FILE}: the tests run on Node ${node}, the image does not`];
}

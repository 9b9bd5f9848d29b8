import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { EXAMPLES } from '../helm/variants.mjs';
import { interpolate } from './interpolate.mjs';
import { workflows } from './workflow-steps.mjs';

const DIGEST = /@sha256:[0-9a-f]{64}$/;
/** Postgres has versions of two numbers: 17.11 is exact. */
const TWO_NUMBERS = /(^|\/)(postgres|postgresql)$/;
const RENOVATE = '.github/renovate.json';
/** Presets that make Renovate pin digests and update them. */
const PRESETS = ['docker:pinDigests', 'helpers:pinGitHubActionDigests'];

/** Everything that is downloaded must have a digest or an exact version: images, actions and runners. */
export async function checkPins(root) {
  return [
    ...composeFaults(root),
    ...dockerfileFaults(root),
    ...manifestFaults(root),
    ...runnerFaults(root),
    ...botFaults(root),
  ];
}

/** Returns a sentence when a reference can change its meaning; null when it is pinned or built here. */
export function looseness(image) {
  if (DIGEST.test(image) || image.startsWith('localhost/')) return null;
  const [, name, tag] = /^(.+?)(?::([^:/]+))?$/.exec(image);
  const version = /^v?(\d+(?:\.\d+)*)/.exec(tag ?? '')?.[1]?.split('.').length ?? 0;
  const exact = version >= (TWO_NUMBERS.test(name) ? 2 : 3);
  // "alpine" without a version means its newest release.
  const system = /(^|-)alpine(?!\d+\.\d+)/.test(tag ?? '');
  return exact && !system ? null : `${image} is no exact version`;
}

function composeFaults(root) {
  const file = 'docker-compose.yml';
  const { services } = parse(interpolate(readFileSync(join(root, file), 'utf8'), {}), { merge: true });
  return Object.entries(services).flatMap(([name, { image }]) => told(`${file}: service ${name}`, image));
}

function dockerfileFaults(root) {
  const file = 'infra/docker/Dockerfile';
  const text = readFileSync(join(root, file), 'utf8');
  const args = Object.fromEntries([...text.matchAll(/^ARG (\w+)=(\S+)$/gm)].map(([, name, value]) => [name, value]));
  const stages = [...text.matchAll(/^FROM \S+ AS (\S+)$/gm)].map(([, name]) => name);
  const froms = [...text.matchAll(/^(?:FROM |COPY --from=)(?:--\S+ )*(\S+)/gm)].map(([, from]) =>
    interpolate(from, args),
  );
  return froms.filter((from) => from !== 'scratch' && !stages.includes(from)).flatMap((from) => told(file, from));
}

/** The chart takes its own images by the version of the release; the examples bring stores. */
function manifestFaults(root) {
  const files = readdirSync(join(root, EXAMPLES), { recursive: true }).filter((file) => file.endsWith('.yaml'));
  return files.flatMap((file) => {
    const text = readFileSync(join(root, EXAMPLES, file), 'utf8');
    return [...text.matchAll(/^ *(?:image|imageName): (\S+)$/gm)].flatMap(([, image]) =>
      told(`${EXAMPLES}/${file}`, image),
    );
  });
}

function runnerFaults(root) {
  return workflows(root).flatMap(({ file, text, content }) => {
    const runners = [...text.matchAll(/[\w.-]+-latest\b/g)].map(([runner]) => `${file}: ${runner} is no exact version`);
    const jobs = Object.values(content?.jobs ?? {});
    const images = jobs.flatMap(({ container, services = {} }) =>
      [container, ...Object.values(services)].map((one) => one?.image ?? one),
    );
    return [...runners, ...images.filter(Boolean).flatMap((image) => told(file, image))];
  });
}

function botFaults(root) {
  const { extends: presets = [] } = JSON.parse(readFileSync(join(root, RENOVATE), 'utf8'));
  return PRESETS.filter((preset) => !presets.includes(preset)).map(
    (preset) => `${RENOVATE}: it does not extend ${preset}`,
  );
}

function told(where, image) {
  const fault = looseness(image);
  return fault === null ? [] : [`${where}: ${fault}`];
}

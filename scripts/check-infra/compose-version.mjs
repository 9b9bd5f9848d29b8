import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { interpolate } from './interpolate.mjs';

const FILE = 'docker-compose.yml';
const SAID_IN = [FILE, 'docs/operations/install.md'];
const SAID = /Compose (\d+\.\d+) or later/g;
/** The Compose version of each feature that the file may use, newest first; 2.18 has all others. */
const SINCE = [
  ['2.26', ({ volumes = [] }) => volumes.some((volume) => volume.volume?.subpath)],
  ['2.24', ({ env_file: files = [] }) => [files].flat().some((file) => file.required !== undefined)],
  ['2.20', ({ depends_on: others = {} }) => Object.values(others).some((other) => other?.required !== undefined)],
];

/** The Compose version that the documents require must be the one that the file needs. */
export function versionFaults(root) {
  const compose = parse(interpolate(readFileSync(join(root, FILE), 'utf8'), {}), { merge: true });
  const services = Object.values(compose.services);
  const needed = SINCE.find(([, used]) => services.some(used))?.[0] ?? '2.18';
  return SAID_IN.flatMap((file) => {
    const said = [...readFileSync(join(root, file), 'utf8').matchAll(SAID)].map(([, version]) => version);
    const wrong = said.filter((version) => version !== needed);
    if (said.length === 0) return [`${file}: it does not say "Compose ${needed} or later"`];
    return wrong.map((version) => `${file}: it asks for Compose ${version}, ${FILE} needs ${needed}`);
  });
}

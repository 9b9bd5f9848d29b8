import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

const FOLDER = 'deploy';
const EXAMPLE = 'infra/docker/compose.env.example';
/** Node ends first, in 25 s at most, then the stores. */
const LEAST_STOP_S = 60;

/** Checks what platforms read: each file runs the image of the release over a volume, and leaves it time to stop. */
export async function checkDeploy(root) {
  const image = imageOf(readFileSync(join(root, EXAMPLE), 'utf8'));
  const files = readdirSync(join(root, FOLDER), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'README.md')
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));
  return files.flatMap((file) => faultsOf(file, readFileSync(join(root, file), 'utf8'), image));
}

function imageOf(example) {
  const value = (name) => new RegExp(`^# ${name}=(.+)$`, 'm').exec(example)?.[1];
  return `${value('FLOTILLA_IMAGE')}/all:${value('FLOTILLA_VERSION')}`;
}

function faultsOf(file, text, image) {
  const images = [...text.matchAll(/[\w./-]+\/all:[\w.-]+/g)].map(([one]) => one);
  const isUnit = file.endsWith('.service');
  const stops = [
    ...text.matchAll(
      /\b(?:kill_timeout|stop_grace_period|stop-timeout|drainingSeconds|maxShutdownDelaySeconds|TimeoutStopSec)\b\D*(\d+)/g,
    ),
  ];
  return [
    ...images.filter((one) => one !== image).map((one) => `${file}: ${one} is not ${image}, which ${EXAMPLE} names`),
    ...(isUnit || file.endsWith('railway.json') || images.length === 1 ? [] : [`${file}: it names no image`]),
    ...(isUnit || file.endsWith('Dockerfile') || /\/data\b/.test(text) ? [] : [`${file}: it keeps /data in no volume`]),
    ...(file.endsWith('Dockerfile') || (stops.length > 0 && stops.every(([, seconds]) => seconds >= LEAST_STOP_S))
      ? []
      : [`${file}: it has less than ${LEAST_STOP_S} s to stop`]),
    ...(isUnit && !/^KillMode=mixed$/m.test(text) ? [`${file}: systemd would end the stores before Node`] : []),
    ...syntaxFault(file, text),
  ];
}

function syntaxFault(file, text) {
  try {
    if (/\.ya?ml$/.test(file)) parse(text);
    if (file.endsWith('.json')) JSON.parse(text);
    return [];
  } catch (error) {
    return [`${file}: ${error.message}`];
  }
}

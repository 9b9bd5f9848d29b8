import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Ajv from 'ajv';
import { parse } from 'yaml';
import { interpolate, variablesOf } from './interpolate.mjs';
import { knownSettings } from './known-settings.mjs';

const FILE = 'docker-compose.yml';
const OWN_IMAGES = /\/(api|worker|migrate|maintenance|simulator)(:|$)/;
/** Settings of the demo bot's program, which .env.example does not name. */
const DEMO_BOT = /^(API_URL|SIMULATOR_URL|BACKEND_URL|SHOWN_.*|DEMO_BOT_.*)$/;

/** Folders that need not be there. */
const MADE_BY_DOCKER = ['/backups'];

/** docker-compose.yml against the schema of compose, and against the files, settings and services it names. */
export async function checkCompose(root) {
  const text = readFileSync(join(root, FILE), 'utf8');
  const compose = parse(interpolate(text, {}), { merge: true });
  const faults = schemaFaults(compose);
  if (faults.length > 0) return faults;
  const services = Object.entries(compose.services);
  return [
    ...services.flatMap(([name, service]) => serviceFaults(root, compose, name, service)),
    ...variableFaults(root, text),
    ...balancerFaults(root, compose),
  ].map((fault) => `${FILE}: ${fault}`);
}

function schemaFaults(compose) {
  // The package exports its program only; the schema lies beside it.
  const folder = dirname(dirname(fileURLToPath(import.meta.resolve('dclint'))));
  const schema = JSON.parse(readFileSync(join(folder, 'schemas/compose.schema.json'), 'utf8'));
  // Written for any reader: `$schema` without the fragment that ajv knows it by, and formats of its own.
  const ajv = new Ajv({ allErrors: true, strict: false, validateFormats: false });
  const validate = ajv.compile({ ...schema, $schema: 'http://json-schema.org/draft-07/schema#' });
  if (validate(compose)) return [];
  return validate.errors.map((error) => {
    return `${FILE}${error.instancePath}: ${error.message} ${JSON.stringify(error.params)}`;
  });
}

function serviceFaults(root, compose, name, service) {
  const faults = [];
  const fault = (message) => faults.push(`service ${name}: ${message}`);
  const once = service.restart === 'no';
  if (/:latest$|^[^:]+$/.test(service.image ?? '')) fault('its image has no version');
  if (service.deploy?.resources?.limits?.memory === undefined) fault('its memory has no limit');
  if (!once && service.healthcheck === undefined && !OWN_IMAGES.test(service.image)) fault('it has no health check');
  for (const [other, { condition, required = true }] of Object.entries(service.depends_on ?? {})) {
    const target = compose.services[other];
    if (target === undefined) fault(`it depends on ${other}, which is not there`);
    else if (condition === 'service_healthy' && target.healthcheck?.disable) fault(`${other} is never healthy`);
    else if (required && target.profiles && !service.profiles) fault(`it depends on ${other} of a profile`);
    if (condition === 'service_completed_successfully' && target?.restart !== 'no') fault(`${other} never completes`);
  }
  const networks = service.networks ?? [];
  for (const network of Array.isArray(networks) ? networks : Object.keys(networks)) {
    if (!(network in compose.networks)) fault(`there is no network ${network}`);
  }
  for (const [source, target] of (service.volumes ?? []).map((volume) => volume.split(':'))) {
    const known = source.startsWith('.')
      ? existsSync(join(root, source)) || MADE_BY_DOCKER.includes(target)
      : source in compose.volumes;
    if (!known) fault(`it mounts ${source}, which is not there`);
  }
  if (service.build && !existsSync(join(root, service.build.dockerfile))) fault('its Dockerfile is not there');
  if (OWN_IMAGES.test(service.image)) {
    const known = knownSettings(root);
    const strange = Object.keys(service.environment ?? {}).filter((key) => !known.has(key) && !DEMO_BOT.test(key));
    if (strange.length > 0) fault(`${strange.join(', ')}: no such setting`);
  }
  return faults;
}

/** Whoever fills in .env finds every variable in one of the two files to copy from. */
function variableFaults(root, text) {
  const example = readFileSync(join(root, 'infra/docker/compose.env.example'), 'utf8');
  const named = new Set([...example.matchAll(/^#? ?([A-Z_]+)=/gm)].map(([, name]) => name));
  const known = new Set([...named, ...knownSettings(root), 'API_CPUS', 'WORKER_CPUS']);
  const required = /for name in ([A-Z_ ]+);/.exec(
    readFileSync(join(root, 'infra/docker/check-settings.sh'), 'utf8'),
  )?.[1];
  return [
    ...variablesOf(text)
      .filter((name) => !known.has(name))
      .map((name) => `\${${name}} is in no example of an .env`),
    ...(required ?? 'nothing')
      .split(' ')
      .filter((name) => !named.has(name))
      .map((name) => `check-settings.sh asks for ${name}, which compose.env.example does not name`),
  ];
}

function balancerFaults(root, compose) {
  const nginx = readFileSync(join(root, 'infra/nginx/nginx.conf'), 'utf8');
  const balanced = [...nginx.matchAll(/^\s*server ([a-z0-9-]+):\d+/gm)].map(([, host]) => host);
  const apis = Object.keys(compose.services).filter((name) => name.startsWith('api-'));
  const same = balanced.toSorted().join() === apis.toSorted().join();
  const hosts = compose.services.nginx.extra_hosts ?? [];
  return [
    ...(same ? [] : [`nginx balances over ${balanced.join(', ')}, but there are ${apis.join(', ')}`]),
    ...apis
      .filter((name) => !hosts.includes(`${name}:${compose.services[name].networks.front?.ipv4_address}`))
      .map((name) => `nginx does not know the address of ${name}`),
  ];
}

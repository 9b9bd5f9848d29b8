import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Ajv from 'ajv';
import { parse } from 'yaml';
import { sandboxFaults, sandboxVariables } from './compose-sandbox.mjs';
import { versionFaults } from './compose-version.mjs';
import { interpolate, variablesOf } from './interpolate.mjs';
import { knownSettings } from './known-settings.mjs';

const FILE = 'docker-compose.yml';
const OWN_IMAGES = /\/(api|worker|migrate|maintenance|simulator|all)(:|$)/;
/** Settings of the simulator and the demo bot; .env.example does not list them. */
const DEMO_BOT = /^(API_URL|SIMULATOR_URL|SIMULATOR_CONTROL_HOSTS|BACKEND_URL|SHOWN_.*|DEMO_BOT_.*)$/;

/** Folders that operators create. */
const MADE_BY_OPERATORS = ['/backups'];
/** The smallest supported host: Docker refuses a CPU limit above the number of cores. */
const FEWEST_CORES = 1;

/** Checks docker-compose.yml against the schema of compose, and against the files, settings and services it names. */
export async function checkCompose(root) {
  const text = readFileSync(join(root, FILE), 'utf8');
  const compose = parse(interpolate(text, {}), { merge: true });
  const faults = schemaFaults(compose);
  if (faults.length > 0) return faults;
  const services = Object.entries(compose.services);
  return [
    ...services.flatMap(([name, service]) => serviceFaults(root, compose, name, service)),
    ...variableFaults(root, text, compose),
    ...balancerFaults(root, compose),
    ...imageFaults(services, text),
  ]
    .map((fault) => `${FILE}: ${fault}`)
    .concat(sandboxFaults(root), versionFaults(root));
}

function schemaFaults(compose) {
  // The package exports only its program, so find its schema by path.
  const folder = dirname(dirname(fileURLToPath(import.meta.resolve('dclint'))));
  const schema = JSON.parse(readFileSync(join(folder, 'schemas/compose.schema.json'), 'utf8'));
  // ajv knows this `$schema` only without its fragment, and does not know the schema's own formats.
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
  const { memory, cpus } = service.deploy?.resources?.limits ?? {};
  if (memory === undefined) fault('its memory has no limit');
  if (!(Number(cpus) <= FEWEST_CORES)) fault(`its limit of ${cpus} cores is above that of a host with one`);
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
  for (const volume of service.volumes ?? []) {
    const { source, target } = typeof volume === 'string' ? shortVolume(volume) : volume;
    const known = source.startsWith('.')
      ? existsSync(join(root, source)) || MADE_BY_OPERATORS.includes(target)
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

function shortVolume(volume) {
  const [source, target] = volume.split(':');
  return { source, target };
}

/** Every variable must be in a file from which an operator copies an .env, or in sandbox.env. */
function variableFaults(root, text, compose) {
  const example = readFileSync(join(root, 'infra/docker/compose.env.example'), 'utf8');
  const named = new Set([...example.matchAll(/^#? ?([A-Z_]+)=/gm)].map(([, name]) => name));
  const known = new Set([...named, ...knownSettings(root), ...Object.keys(sandboxVariables(root))]);
  const checks = ['check-settings', 'check-watch-settings'].flatMap((name) => {
    const { command = [], environment = {} } = compose.services[name] ?? {};
    const blind = command.filter((setting) => !(setting in environment));
    return [
      ...(command.length === 0 ? [`${name} asks for nothing`] : []),
      ...blind.map((setting) => `${name} asks for ${setting}, which it is not given`),
      ...command.filter((setting) => !named.has(setting)).map((setting) => `${setting} is not in compose.env.example`),
    ];
  });
  const strange = variablesOf(text).filter((name) => !known.has(name));
  return [...strange.map((name) => `\${${name}} is in no example of an .env`), ...checks];
}

/** Without a release one service builds each image and no registry is asked; with a release every service pulls it. */
function imageFaults(services, text) {
  const released = parse(interpolate(text, { FLOTILLA_PULL_POLICY: 'missing' }), { merge: true }).services;
  const own = services.filter(([, { image }]) => OWN_IMAGES.test(image));
  const built = Map.groupBy(own, ([, { image }]) => image);
  return [
    ...[...built].flatMap(([image, users]) => {
      const builders = users.filter(([, { build }]) => build !== undefined);
      return builders.length === 1 ? [] : [`${image} is built by ${builders.length} services`];
    }),
    ...own.flatMap(([name, { image, build, pull_policy: policy }]) => [
      ...(image.startsWith('localhost/') ? [] : [`service ${name}: a registry would be asked for ${image}`]),
      ...(policy === (build ? 'build' : 'never') ? [] : [`service ${name}: its pull_policy is ${policy}`]),
      ...(released[name].pull_policy === 'missing' ? [] : [`service ${name}: an image of a release is not pulled`]),
    ]),
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

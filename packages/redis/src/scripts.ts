import type { Redis } from 'ioredis';
import { isRedisUnavailable } from './is-redis-unavailable.ts';
import { type RedisClient, serversOf } from './open-client.ts';
import type { RedisCommands } from './redis-commands.ts';
import { LIBRARY_PREFIX, scriptLibrary } from './script-text.ts';

const SCRIPT_NAMES = [
  'accept-updates',
  'append-calls',
  'apply-bot',
  'begin-polling',
  'check-programs',
  'claim-for-program',
  'claim-for-push',
  'claim-for-rules',
  'count-call',
  'forget-bot',
  'forget-consumer',
  'note-reserved',
  'note-routed',
  'park-program',
  'patch-bot-state',
  'pull-read',
  'read-program-trouble',
  'read-readers',
  'read-states',
  'redrive',
  'reseal-config',
  'reserve-slot',
  'resume-backend',
  'try-backend',
  'watch-bot',
  'write-config',
] as const;

export type ScriptName = (typeof SCRIPT_NAMES)[number];
export type ScriptReply = (string | number | null | ScriptReply)[];

/** What only reads, hands out or removes: a full Redis must still be emptied. */
const RUN_WHEN_FULL = new Set<ScriptName>([
  'check-programs',
  'claim-for-program',
  'claim-for-push',
  'claim-for-rules',
  'forget-bot',
  'forget-consumer',
  'park-program',
  'pull-read',
  'read-program-trouble',
  'read-readers',
  'read-states',
  'resume-backend',
  'try-backend',
]);

const library = scriptLibrary(SCRIPT_NAMES, RUN_WHEN_FULL);

/** The name under which Redis has this script. */
export function functionNameOf(script: ScriptName): string {
  return FUNCTION_NAMES[script];
}

const FUNCTION_NAMES = Object.fromEntries(SCRIPT_NAMES.map((name) => [name, library.functionName(name)])) as Record<
  ScriptName,
  string
>;

/**
 * Loads the scripts into every server that takes writes. A server keeps them over a restart and passes them on to its
 * replicas. The first process of a release removes those of others, whose processes load theirs again when they miss them.
 */
export async function installScripts(client: RedisClient): Promise<void> {
  await onServers(client, async (server) => {
    if (await load(server)) await removeOtherReleases(server);
  });
}

/** A server that is away gets them when it misses them. */
async function onServers(client: RedisClient, work: (server: Redis) => Promise<unknown>): Promise<void> {
  await Promise.all(
    serversOf(client).map((server) =>
      work(server).catch((error) => {
        if (!isRedisUnavailable(error)) throw error;
      }),
    ),
  );
}

/** True when the server did not have them. */
async function load(server: Redis): Promise<boolean> {
  try {
    await server.function('LOAD', library.text);
    return true;
  } catch (error) {
    if (/^ERR Library '\w+' already exists/.test((error as Error).message)) return false;
    throw error;
  }
}

async function removeOtherReleases(server: Redis): Promise<void> {
  const found = (await server.function('LIST', 'LIBRARYNAME', `${LIBRARY_PREFIX}*`)) as string[][];
  const others = found.map(([, name]) => name!).filter((name) => name !== library.name);
  // Another process may remove it, too.
  await Promise.allSettled(others.map((name) => server.function('DELETE', name)));
}

/** Calls that miss the scripts at the same time share one load. */
const loading = new WeakMap<object, Promise<void>>();

function loadAgain(client: RedisClient): Promise<void> {
  const known = loading.get(client);
  if (known !== undefined) return known;
  const begun = onServers(client, load).finally(() => loading.delete(client));
  loading.set(client, begun);
  return begun;
}

/** A reply whose texts are bytes as Redis sent them. */
export type RawReply = (Buffer | number | null | RawReply)[];

/** Runs a script; the reply's form is in the header of its file. Loads the scripts where a server lost them. */
export function runScript(
  redis: RedisCommands,
  name: ScriptName,
  keys: string[],
  args: (string | number)[],
): Promise<ScriptReply> {
  const call = () => redis.fcall(FUNCTION_NAMES[name], keys.length, ...keys, ...args) as Promise<ScriptReply>;
  return call().catch((error) => afterLoading(redis, error, call));
}

/** The same for a reply of long texts that are passed on: they are not decoded. */
export function runScriptRaw(
  redis: RedisCommands,
  name: ScriptName,
  keys: string[],
  args: (string | number)[],
): Promise<RawReply> {
  const call = () =>
    redis.callBuffer('fcall', FUNCTION_NAMES[name], keys.length, ...keys, ...args) as Promise<RawReply>;
  return call().catch((error) => afterLoading(redis, error, call));
}

async function afterLoading<Reply>(redis: RedisCommands, error: Error, call: () => Promise<Reply>): Promise<Reply> {
  if (!error.message.startsWith('ERR Function not found')) throw error;
  await loadAgain(redis as unknown as RedisClient);
  return call();
}

import type { Redis } from 'ioredis';
import { isRedisUnavailable } from './is-redis-unavailable.ts';
import { type RedisClient, serversOf } from './open-client.ts';
import type { RedisCommands } from './redis-commands.ts';
import { LIBRARY_PREFIX, type ScriptKind, scriptLibrary } from './script-text.ts';

/** When Redis runs each of them. A full one must still be emptied, by those that hand out, settle or remove. */
const SCRIPTS = {
  'accept-updates': 'needs-room',
  'act-on-retrying': 'needs-room',
  'append-calls': 'needs-room',
  'apply-bot': 'runs-when-full',
  'begin-polling': 'needs-room',
  'check-programs': 'runs-when-full',
  'claim-for-program': 'runs-when-full',
  'claim-for-push': 'runs-when-full',
  'claim-for-rules': 'runs-when-full',
  'claim-idempotency-key': 'needs-room',
  'close-breaker': 'runs-when-full',
  'count-call': 'needs-room',
  'end-flood': 'runs-when-full',
  'forget-bot': 'runs-when-full',
  'forget-consumer': 'runs-when-full',
  'note-flood': 'runs-when-full',
  'hold-chat': 'needs-room',
  'move-hold': 'runs-when-full',
  'note-reserved': 'needs-room',
  'note-decision': 'runs-when-full',
  'note-routed': 'runs-when-full',
  // It copies whole updates, thousands of times.
  'park-program': 'needs-room',
  'patch-bot-state': 'needs-room',
  'read-floods': 'only-reads',
  'read-page': 'runs-when-full',
  'read-pending-turns': 'only-reads',
  'read-program-attention': 'only-reads',
  'read-readers': 'only-reads',
  'read-states': 'only-reads',
  redrive: 'needs-room',
  'release-chat': 'needs-room',
  'renew-pending-turn': 'runs-when-full',
  'replay-update': 'needs-room',
  'reseal-config': 'needs-room',
  'note-sends': 'runs-when-full',
  'reserve-send-time': 'runs-when-full',
  'reserve-program-time': 'runs-when-full',
  'reserve-sends': 'runs-when-full',
  'resume-backend': 'runs-when-full',
  'settle-idempotency-key': 'runs-when-full',
  'take-model-call': 'needs-room',
  'tell-watchers': 'needs-room',
  'watch-bot': 'needs-room',
  'write-config': 'runs-when-full',
} as const satisfies Record<string, ScriptKind>;

export type ScriptName = keyof typeof SCRIPTS;
export const SCRIPT_NAMES = Object.keys(SCRIPTS) as ScriptName[];
export type ScriptReply = (string | number | null | ScriptReply)[];

const library = scriptLibrary(SCRIPTS);

/** All scripts, as Redis gets them. */
export function libraryText(): string {
  return library.text;
}

/** The name under which Redis has this script. */
export function functionNameOf(script: ScriptName): string {
  return library.functionNames[script];
}

/**
 * Loads the scripts into every server that takes writes. A server keeps them over a restart and passes them on to its
 * replicas. The first process of a release removes those of others, whose processes load theirs again when they miss them.
 */
export async function installScripts(client: RedisClient): Promise<void> {
  await onServers(client, async (server) => {
    if (await load(server)) await removeOtherReleases(server);
  });
}

/** Resolves to what kept a server from taking part, if it is away or full: it gets the scripts when it misses them. */
async function onServers(client: RedisClient, work: (server: Redis) => Promise<unknown>): Promise<Error | null> {
  const failures = serversOf(client).map((server) =>
    work(server).then(
      () => null,
      (error: Error) => {
        if (!isRedisUnavailable(error)) throw error;
        return error;
      },
    ),
  );
  return (await Promise.all(failures)).find((failure) => failure !== null) ?? null;
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
const loading = new WeakMap<object, Promise<Error | null>>();

function loadAgain(client: RedisClient): Promise<Error | null> {
  const known = loading.get(client);
  if (known !== undefined) return known;
  const begun = onServers(client, load).finally(() => loading.delete(client));
  loading.set(client, begun);
  return begun;
}

/** A reply whose texts are bytes as Redis sent them. */
export type RawReply = (Buffer | number | null | RawReply)[];

/** Runs a script with so many keys and then its arguments, for script-calls.ts. Loads the scripts where a server lost them. */
export function runScript(
  redis: RedisCommands,
  name: ScriptName,
  keyCount: number,
  sent: (string | number)[],
): Promise<ScriptReply> {
  const call = () => redis.fcall(functionNameOf(name), keyCount, ...sent) as Promise<ScriptReply>;
  return call().catch((error) => afterLoading(redis, error, call));
}

/** The same for a reply of long texts that are passed on: they are not decoded. */
export function runScriptRaw(
  redis: RedisCommands,
  name: ScriptName,
  keyCount: number,
  sent: (string | number)[],
): Promise<RawReply> {
  const call = () => redis.callBuffer('fcall', functionNameOf(name), keyCount, ...sent) as Promise<RawReply>;
  return call().catch((error) => afterLoading(redis, error, call));
}

async function afterLoading<Reply>(redis: RedisCommands, error: Error, call: () => Promise<Reply>): Promise<Reply> {
  if (!isMissing(error)) throw error;
  const failure = await loadAgain(redis as unknown as RedisClient);
  return call().catch((again: Error) => {
    throw isMissing(again) && failure !== null ? failure : again;
  });
}

function isMissing(error: Error): boolean {
  return error.message.startsWith('ERR Function not found');
}

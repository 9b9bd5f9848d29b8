import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RedisClient } from './open-client.ts';
import type { RedisCommands } from './redis-commands.ts';

const DIRECTORY = join(import.meta.dirname, 'scripts');
const SCRIPT_NAMES = [
  'accept-updates',
  'append-calls',
  'apply-bot',
  'begin-polling',
  'claim-for-push',
  'claim-for-rules',
  'forget-bot',
  'note-reserved',
  'note-routed',
  'patch-bot-state',
  'pull-read',
  'redrive',
  'reseal-config',
  'reserve-slot',
  'resume-backend',
  'write-config',
] as const;

export type ScriptName = (typeof SCRIPT_NAMES)[number];
export type ScriptReply = (string | number | null | ScriptReply)[];

/** The text of a script with its `-- @include name` lines replaced, each library once. */
export function loadScript(path: string, included = new Set<string>()): string {
  return readFileSync(join(DIRECTORY, `${path}.lua`), 'utf8').replace(
    /^-- @include ([\w-]+)$/gm,
    (_line, name: string) => {
      if (included.has(name)) return '';
      included.add(name);
      return loadScript(`lib/${name}`, included);
    },
  );
}

/** Makes every script a command of this connection (EVALSHA, with EVAL where the server does not know it yet). */
export function defineScripts(redis: RedisClient): void {
  for (const name of SCRIPT_NAMES) redis.defineCommand(name, { lua: loadScript(name) });
}

type Runner = (keyCount: number, ...args: (string | number)[]) => Promise<unknown>;

/** Runs a script; the reply's form is in the header of its file. */
export function runScript(
  redis: RedisCommands,
  name: ScriptName,
  keys: string[],
  args: (string | number)[],
): Promise<ScriptReply> {
  const command = (redis as unknown as Record<ScriptName, Runner>)[name];
  return command.call(redis, keys.length, ...keys, ...args) as Promise<ScriptReply>;
}

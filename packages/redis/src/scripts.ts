import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RedisClient } from './open-client.ts';
import type { RedisCommands } from './redis-commands.ts';
import { storedName } from './state-fields.ts';

const DIRECTORY = join(import.meta.dirname, 'scripts');
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

/** The text of a script as Redis runs it; throws when it names a field that a bot's state does not have. */
export function loadScript(path: string): string {
  return resolveFields(includeLibraries(path));
}

/**
 * Replaces `-- @read s <- key: field, field as name` by a read of these fields into the table `s` (absent ones are nil),
 * and every `'@field'` by its stored name. Looking the names up in Redis took several microseconds a call.
 */
export function resolveFields(lua: string): string {
  return lua
    .replace(
      /^( *)-- @read (\w+) <- ([\w.[\]]+): ((?:.*,\n *-- *)*.*)$/gm,
      (_line, indent: string, table: string, key: string, list: string) => {
        const fields = list.split(/,[\s-]*/).map((field) => field.split(' as '));
        const stored = fields.map(([field]) => `'@${field}'`).join(', ');
        const named = fields
          .map(([field, name = field], index) => `${name} = ${table}[${index + 1}] or nil`)
          .join(', ');
        return `${indent}local ${table} = redis.call('HMGET', ${key}, ${stored})\n${indent}${table} = { ${named} }`;
      },
    )
    .replace(/'@(\w*)'/g, (_field, name: string) => `'${storedName(name)}'`);
}

/** Replaces `-- @include name` lines, each library once. */
function includeLibraries(path: string, included = new Set<string>()): string {
  return readFileSync(join(DIRECTORY, `${path}.lua`), 'utf8').replace(
    /^-- @include ([\w-]+)$/gm,
    (_line, name: string) => {
      if (included.has(name)) return '';
      included.add(name);
      return includeLibraries(`lib/${name}`, included);
    },
  );
}

/** Makes every script a command of this connection (EVALSHA, with EVAL where the server does not know it yet). */
export function defineScripts(redis: RedisClient): void {
  for (const name of SCRIPT_NAMES) redis.defineCommand(name, { lua: loadScript(name) });
}

/** A reply whose texts are bytes as Redis sent them. */
export type RawReply = (Buffer | number | null | RawReply)[];

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

/** The same for a reply of long texts that are passed on: they are not decoded. */
export function runScriptRaw(
  redis: RedisCommands,
  name: ScriptName,
  keys: string[],
  args: (string | number)[],
): Promise<RawReply> {
  const command = (redis as unknown as Record<`${ScriptName}Buffer`, Runner>)[`${name}Buffer`];
  return command.call(redis, keys.length, ...keys, ...args) as Promise<RawReply>;
}

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { storedName } from './state-fields.ts';

const DIRECTORY = join(import.meta.dirname, 'scripts');
const DIGEST_LENGTH = 12;

/** Files by path, without their includes, each after what it includes. */
type Parts = Map<string, string>;

/** One script, or `lib/<name>`, with what it includes; throws when it names a field that a bot's state does not have. */
export function loadScript(path: string): string {
  const parts: Parts = new Map();
  collect(path, parts);
  return resolveFields([...parts.values()].join('\n'));
}

/** All scripts as the functions of one library, whose name and theirs end in a digest, so that releases keep apart. */
export type ScriptLibrary = { name: string; text: string; functionName(script: string): string };

/**
 * `runWhenFull`: those that Redis also runs while it has no memory for writes (its flag allow-oom).
 * https://redis.io/docs/latest/develop/programmability/functions-intro/
 */
export function scriptLibrary(scripts: readonly string[], runWhenFull: ReadonlySet<string>): ScriptLibrary {
  const parts: Parts = new Map();
  for (const script of scripts) collect(script, parts);
  const shared = [...parts].filter(([path]) => path.startsWith('lib/')).map(([, text]) => text);
  const bodies = scripts.map((script) => [script, resolveFields(parts.get(script)!)] as const);
  const code = resolveFields(shared.join('\n'));
  const digest = createHash('sha256').update(JSON.stringify([code, bodies, [...runWhenFull]]));
  const release = digest.digest('hex').slice(0, DIGEST_LENGTH);
  const functionName = (script: string) => `${script.replaceAll('-', '_')}_${release}`;
  const functions = bodies.map(([script, body]) => {
    const flags = runWhenFull.has(script) ? "'allow-oom'" : '';
    return [
      `redis.register_function{ function_name = '${functionName(script)}', flags = { ${flags} }, callback = function(KEYS, ARGV)`,
      `${body}end }`,
    ].join('\n');
  });
  const name = `${LIBRARY_PREFIX}${release}`;
  return { name, text: [`#!lua name=${name}`, code, ...functions].join('\n'), functionName };
}

/** Begins the names of the libraries of all releases. */
export const LIBRARY_PREFIX = 'flotilla_';

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

/** Adds the file and, before it, the files that its `-- @include name` lines name, each once. */
function collect(path: string, parts: Parts): void {
  if (parts.has(path)) return;
  const included: string[] = [];
  const text = readFileSync(join(DIRECTORY, `${path}.lua`), 'utf8').replace(
    /^-- @include ([\w-]+)\n/gm,
    (_line, name: string) => {
      included.push(`lib/${name}`);
      return '';
    },
  );
  for (const one of included) collect(one, parts);
  parts.set(path, text);
}

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CHAT_LANES, kindsWith, SHORT_LIVED_KINDS } from '@flotilla/contract/bot-api/update-kinds.ts';
import { channels, HELD_TURN_PREFIX } from './keys.ts';
import { type Header, readHeader } from './script-header.ts';
import { nameArguments } from './script-names.ts';
import { isStateField } from './state-fields.ts';

const DIRECTORY = join(import.meta.dirname, 'scripts');
const DIGEST_LENGTH = 12;

/** Files by path, without their includes, each after what it includes. */
type Parts = Map<string, { text: string; header: Header }>;

/** One script, or `lib/<name>`, after what it includes. */
export function textsOf(path: string): string[] {
  const parts: Parts = new Map();
  collect(path, parts);
  return [...parts.values()].map(({ text }) => text);
}

/** When Redis runs a script: while it has room for writes; also while it is full; or also while it refuses all writes. */
export type ScriptKind = 'needs-room' | 'runs-when-full' | 'only-reads';

/** https://redis.io/docs/latest/develop/programmability/functions-intro/#function-flags */
const FLAG_OF: Record<ScriptKind, string> = {
  'needs-room': '',
  'runs-when-full': "'allow-oom'",
  'only-reads': "'no-writes'",
};

export type ScriptLibrary<Name extends string> = { name: string; text: string; functionNames: Record<Name, string> };

/** All scripts as the functions of one library, whose name and theirs end in a digest, so that releases keep apart. */
export function scriptLibrary<Name extends string>(scripts: Record<Name, ScriptKind>): ScriptLibrary<Name> {
  const names = Object.keys(scripts) as Name[];
  const parts: Parts = new Map();
  for (const name of names) collect(name, parts);
  const libs = [...parts].flatMap(([path, { text }]) => (path.startsWith('lib/') ? text : []));
  const shared = inBlocks(
    libs,
    names.map((name) => parts.get(name)!.text),
  );
  const functionName = (name: Name, release: string) => `${name.replaceAll('-', '_')}_${release}`;
  const textOf = (release: string) => {
    const functions = names.map((name) =>
      registration(functionName(name, release), scripts[name], parts.get(name)!.text),
    );
    return resolveNames(
      [`#!lua name=${LIBRARY_PREFIX}${release}`, GLOBALS_AS_LOCALS, ...shared, ...functions].join('\n'),
    );
  };
  const release = createHash('sha256').update(textOf('')).digest('hex').slice(0, DIGEST_LENGTH);
  return {
    name: `${LIBRARY_PREFIX}${release}`,
    text: textOf(release),
    functionNames: Object.fromEntries(names.map((name) => [name, functionName(name, release)])) as Record<Name, string>,
  };
}

/** A chunk of Lua may have 200 locals, so what only one file of `lib/` uses is local to a block of its own. */
function inBlocks(libs: string[], scripts: string[]): string[] {
  const words = [...libs, ...scripts].map((text) => new Set(text.match(/\w+/g)));
  return libs.map((text, at) => {
    const isShared = (name: string) => words.some((used, other) => other !== at && used.has(name));
    const shared: string[] = [];
    const body = text.replace(
      /^local (function )?([\w, ]+?)(?=\(| =)/gm,
      (line, declares: string | undefined, declared: string) => {
        const names = declared.split(', ');
        if (!names.some(isShared)) return line;
        shared.push(...names);
        return `${declares ?? ''}${declared}`;
      },
    );
    return `${shared.length === 0 ? '' : `local ${shared.join(', ')}\n`}do\n${body}\nend`;
  });
}

function registration(functionName: string, kind: ScriptKind, body: string): string {
  const named = `function_name = '${functionName}', flags = { ${FLAG_OF[kind]} }`;
  return `register{ ${named}, callback = function(KEYS, ARGV)\nif not redis then bindGlobals() end\n${body}end }`;
}

/**
 * A function of a library finds a global name after three looks into tables, and a local one at once. Globals do not exist
 * yet when a library is loaded, so the first call makes them local.
 */
const GLOBALS_AS_LOCALS = `local register = redis.register_function
local function globals() return redis, cjson, string, table, math, type, tonumber, tostring, ipairs, pairs, select, unpack end
local redis, cjson, string, table, math, type, tonumber, tostring, ipairs, pairs, select, unpack
local function bindGlobals()
  redis, cjson, string, table, math, type, tonumber, tostring, ipairs, pairs, select, unpack = globals()
end`;

/** Begins the names of the libraries of all releases. */
export const LIBRARY_PREFIX = 'flotilla_';

/** Names that both languages use and only TypeScript spells. Scripts write `'@heldTurn'`. */
const SHARED_NAMES: ReadonlyMap<string, string> = new Map([
  ...Object.entries(channels).map(([name, channel]) => [`channels.${name}`, channel] as const),
  ['heldTurn', HELD_TURN_PREFIX],
  ['kinds.onDemand', listed(kindsWith(({ onDemand }) => onDemand === true))],
  ['kinds.shortLived', listed(SHORT_LIVED_KINDS)],
  ['kinds.routed', listed(kindsWith(({ message, adopted }) => message === 'routed' || adopted === true))],
  ['lanes.ofChats', listed(CHAT_LANES)],
]);

/** Scripts look for a name in a list in this form. */
function listed(names: readonly string[]): string {
  return `,${names.join(',')},`;
}

/**
 * Replaces `-- @read s <- key: field, field as name` by a read of these fields into the table `s` (absent ones are nil),
 * and every `'@name'` by the field of a state or the name that TypeScript spells. Throws for a name that is neither.
 */
export function resolveNames(lua: string): string {
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
    .replace(/'@([\w.]*)'/g, (_name, name: string) => {
      const shared = SHARED_NAMES.get(name);
      if (shared === undefined && !isStateField(name)) throw new Error(`neither a field nor a shared name: @${name}`);
      return `'${shared ?? name}'`;
    });
}

/** Adds the file and, before it, the files that its `-- @include name` lines name, each once. */
function collect(path: string, parts: Parts): void {
  if (parts.has(path)) return;
  const included: string[] = [];
  const text = textOf(path).replace(/^-- @include ([\w-]+)\n/gm, (_line, name: string) => {
    included.push(`lib/${name}`);
    return '';
  });
  for (const one of included) collect(one, parts);
  try {
    const header = readHeader(text, (name) => headerIn(parts, `lib/${name}`));
    parts.set(path, { text: nameArguments(text, header, path.startsWith('lib/')), header });
  } catch (error) {
    throw new Error(`${path}.lua: ${(error as Error).message}`);
  }
}

function textOf(path: string): string {
  return readFileSync(join(DIRECTORY, `${path}.lua`), 'utf8');
}

/** The header of a script, or of `lib/<name>`. */
export function headerOf(path: string): Header {
  const parts: Parts = new Map();
  collect(path, parts);
  return headerIn(parts, path);
}

function headerIn(parts: Parts, path: string): Header {
  const part = parts.get(path);
  if (part === undefined) throw new Error(`${path} is not included`);
  return part.header;
}

/** The first paragraph of the header. */
export function aboutScript(name: string): string {
  const [about = ''] = textOf(name).split('\n-- @');
  return about.replaceAll(/^-- /gm, '').replaceAll('\n', ' ');
}

import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from '@jest/globals';

const FOLDER = resolve(import.meta.dirname, '../../../scripts/lua');

/** What a function of scripts/lua answers for this text. */
function answerOf(file: string, name: string, lua: string): unknown {
  const url = pathToFileURL(resolve(FOLDER, file)).href;
  const code = `import { ${name} } from '${url}'; process.stdout.write(JSON.stringify(${name}(${JSON.stringify(lua)})));`;
  return JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' }));
}

const LUA = `#!lua name=x
local function used(a) return a end
redis.register_function('f', function(KEYS, ARGV)
  local x, y = KEYS[1], ARGV[1]
  for _, one in ipairs(y) do x = used(one) end
  repeat local last = x until used(last)
  return { key = y, [x] = 2 }
end)`;

test('nothing is wrong with Lua that declares what it uses and uses what it declares', () => {
  expect(answerOf('lint-lua.mjs', 'lintLua', LUA)).toEqual([]);
});

test.each([
  ['return a end', 'return b end', 'nothing declares b: local function used(a) return b end'],
  ['return a end', 'return 1 end', 'nothing uses the local a: local function used(a) return 1 end'],
  ['x = used(one)', 'z = used(one)', 'nothing declares z: for _, one in ipairs(y) do z = used(one) end'],
  ['return {', 'local late = 1 late = 2 return {', 'nothing uses the local late: local late = 1'],
  ['#!lua name=x', '#!lua name=x\nlocal function left() end', 'nothing uses the local left: local function left() end'],
])('where %s is %s, it says so', (before, after, fault) => {
  const faults = answerOf('lint-lua.mjs', 'lintLua', LUA.replace(before, after)) as string[];
  expect(faults).toContainEqual(expect.stringContaining(fault));
});

test('Lua is formatted, and stays as it is behind a mark', () => {
  const lua = "if x then f( 1,2 ) end\nlocal t = {\n  a = \"b\" }\n-- stylua: ignore\nf('a',  'b')\n";
  expect(answerOf('format-lua.mjs', 'formatLua', lua)).toBe(
    "if x then f(1, 2) end\nlocal t = {\n  a = 'b',\n}\n-- stylua: ignore\nf('a',  'b')\n",
  );
});

import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { rolldown } from 'rolldown';
import { PROGRAMS } from '../../packages/runtime/src/program-entry.ts';
import { copiedFiles, copyOf } from './copied-files.mjs';
import { NATIVE, nativePackages } from './native-packages.mjs';
import { packageList } from './package-list.mjs';
import { SOURCES } from './sources.mjs';
import { buildValues, storedValues } from './stored-values.mjs';

// node scripts/programs/bundle.mjs <folder> [--commit=<commit>] [--console=<folder>] [--program=<name>] [--portable]: builds each program
// (or one) with its libraries and the files that it reads into <folder>/<program>, which runs without sources and node_modules.
// launch.mjs there starts it. fill-compile-cache.mjs loads the same modules, stores what Node compiles of them, and ends. The api shows
// the console of this folder. A portable program runs on every platform: npm brings the machine code, and no source maps are made.

const ROOT = resolve(import.meta.dirname, '../..');
/** Libraries ask for these and do without them. */
const NOT_THERE = ['msgpackr-extract', 'pg-native'];

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    commit: { type: 'string', default: '' },
    console: { type: 'string' },
    program: { type: 'string' },
    portable: { type: 'boolean', default: false },
  },
});
const wanted = Object.entries(PROGRAMS).filter(([name]) => values.program === undefined || name === values.program);
/** Not built in. */
const outside = [...NOT_THERE, ...(values.portable ? NATIVE : [])];
const folder = resolve(positionals[0]);
const stored = await buildValues(values.commit);
const unfinished = `${folder}-${process.pid}`;
mkdirSync(unfinished, { recursive: true });
await Promise.all(wanted.map(([name, source]) => build(name, join(ROOT, source))));
if (values.console !== undefined) linkConsole(resolve(values.console));
publish();

async function build(name, source) {
  const dir = join(unfinished, name);
  // All that main.ts starts, for those who want to load it without a start.
  const parts = ['config', 'start'].filter((part) => existsSync(join(source, `${part}.ts`)));
  const natives = nativePackages(ROOT);
  const bundle = await rolldown({
    input: {
      'begin-program': join(ROOT, 'packages/runtime/src/begin-program.mjs'),
      ...Object.fromEntries(['main', ...parts].map((part) => [part, join(source, `${part}.ts`)])),
    },
    cwd: ROOT,
    platform: 'node',
    tsconfig: false,
    external: outside,
    plugins: [storedValues(ROOT, stored), ...(values.portable ? [] : [natives.plugin]), copiedFiles(ROOT)],
    // Bull Board looks for its page with eval only if nobody says where it is.
    checks: { eval: false },
  });
  const { output } = await bundle.write({
    dir,
    format: 'esm',
    entryFileNames: '[name].mjs',
    chunkFileNames: '[name]-[hash].mjs',
    // V8 keeps the text of a program, and each character takes two bytes if one is not in ASCII.
    comments: false,
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: false, asciiOnly: true } },
    // For `node --enable-source-maps`. It is not the default, because it adds 130 ms to the start of an api.
    sourcemap: !values.portable,
    sourcemapExcludeSources: true,
  });
  await bundle.close();
  const modules = output.flatMap((chunk) => chunk.moduleIds ?? []);
  requireKnownSources(modules);
  requireAllInside(output);
  const list = packageList(ROOT, `flotilla-${name}`, stored.version, [...modules, ...natives.files()], output);
  writeFileSync(join(dir, 'sbom.cdx.json'), `${JSON.stringify(list, null, 2)}\n`);
  writeFileSync(join(dir, 'launch.mjs'), loading(name, ['main']));
  if (parts.length > 0) writeFileSync(join(dir, 'fill-compile-cache.mjs'), loading(name, parts));
}

function loading(name, parts) {
  const imports = parts.map((part) => `await import('./${part}.mjs');\n`);
  return `import { beginProgram } from './begin-program.mjs';

beginProgram('${name}', import.meta.dirname + '/compiled');
${imports.join('')}`;
}

function requireKnownSources(modules) {
  const known = SOURCES.map((source) => join(ROOT, source, '/'));
  const unknown = modules
    .map((id) => id.replace(/^\0/, ''))
    .filter((id) => id.startsWith(ROOT) && !id.includes('/node_modules/'))
    .filter((id) => !known.some((place) => id.startsWith(place)));
  if (unknown.length > 0) throw new Error(`Name these in scripts/programs/sources.mjs: ${unknown.join(', ')}`);
}

/** A module that is imported and not in the folder would be missing where there is no node_modules. */
function requireAllInside(output) {
  const inside = new Set(output.map(({ fileName }) => fileName));
  const imported = output.flatMap(({ imports = [], dynamicImports = [] }) => [...imports, ...dynamicImports]);
  const missing = imported.filter((name) => !inside.has(name) && !isBuiltin(name) && !outside.includes(name));
  if (missing.length > 0) throw new Error(`These are not built in: ${[...new Set(missing)].join(', ')}`);
}

/** A checkout builds its console at another time, or never. */
function linkConsole(console) {
  for (const program of ['api', 'flotilla'].filter((name) => wanted.some(([one]) => one === name))) {
    const link = join(unfinished, program, copyOf('apps/console/dist'));
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(relative(dirname(link), console), link);
  }
}

/** Another run may have been quicker. */
function publish() {
  try {
    renameSync(unfinished, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
    rmSync(unfinished, { recursive: true });
  }
}

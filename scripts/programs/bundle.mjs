import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { rolldown } from 'rolldown';
import { PROGRAMS } from '../../packages/runtime/src/program-entry.ts';
import { SOURCES } from './sources.mjs';

// node scripts/programs/bundle.mjs <folder>: builds each program with its libraries into one file of the folder.
// <folder>/<program>/launch.mjs starts it. fill-compile-cache.mjs beside it loads the same modules, stores what Node compiles of
// them, and ends.

const ROOT = resolve(import.meta.dirname, '../..');
/** Packages with native code, and those that read their own files. */
const IMPORTED = [/^@bull-board\//, /^@node-rs\//, /^swagger-ui-dist\//, 'msgpackr-extract', 'pg-native'];

const folder = resolve(process.argv[2]);
// Beside its final place, so that paths to the sources are the same there.
const unfinished = `${folder}-${process.pid}`;
mkdirSync(unfinished, { recursive: true });
await Promise.all(Object.entries(PROGRAMS).map(([name, source]) => build(name, join(ROOT, source))));
publish();

async function build(name, source) {
  const dir = join(unfinished, name);
  // All that main.ts starts, for those who want to load it without a start.
  const parts = ['config', 'start'].filter((part) => existsSync(join(source, `${part}.ts`)));
  const bundle = await rolldown({
    input: {
      'begin-program': join(ROOT, 'packages/runtime/src/begin-program.mjs'),
      ...Object.fromEntries(['main', ...parts].map((part) => [part, join(source, `${part}.ts`)])),
    },
    cwd: ROOT,
    platform: 'node',
    tsconfig: false,
    external: IMPORTED,
    plugins: [placesOfSources(dir)],
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
    sourcemap: true,
    sourcemapExcludeSources: true,
  });
  await bundle.close();
  requireKnownSources(output.flatMap((chunk) => chunk.moduleIds ?? []));
  writeFileSync(join(dir, 'launch.mjs'), loading(name, ['main']));
  if (parts.length > 0) writeFileSync(join(dir, 'fill-compile-cache.mjs'), loading(name, parts));
}

function loading(name, parts) {
  const imports = parts.map((part) => `await import('./${part}.mjs');\n`);
  return `import { beginProgram } from './begin-program.mjs';

beginProgram('${name}', import.meta.dirname + '/compiled');
${imports.join('')}`;
}

/** A source finds the files beside it where they are, and not beside the built file. */
function placesOfSources(dir) {
  const handler = (code, id) => {
    const place = JSON.stringify(`${relative(dir, dirname(id))}/`);
    const url = `new URL(${place}, import.meta.url).href`;
    // The map stays right: each source stays in its line.
    return {
      code: code
        .replaceAll(/\bimport\.meta\.url\b/g, url)
        .replaceAll(/\bimport\.meta\.dirname\b/g, `(import.meta.dirname + '/' + ${place.replace(/\/"$/, '"')})`),
      map: null,
    };
  };
  return {
    name: 'places-of-sources',
    transform: { filter: { id: { exclude: /\/node_modules\// }, code: /\bimport\.meta\./ }, handler },
  };
}

function requireKnownSources(modules) {
  const known = SOURCES.map((source) => join(ROOT, source, '/'));
  const unknown = modules
    .map((id) => id.replace(/^\0/, ''))
    .filter((id) => id.startsWith(ROOT) && !id.includes('/node_modules/'))
    .filter((id) => !known.some((place) => id.startsWith(place)));
  if (unknown.length > 0) throw new Error(`Name these in scripts/programs/sources.mjs: ${unknown.join(', ')}`);
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

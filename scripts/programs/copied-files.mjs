import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** The files that a source reads while its program runs, and that are copied beside the program. Others cannot be read there. */
const FILES_OF = {
  // The folder of the console, which comes from a build of its own.
  'apps/api/src/config.ts': [],
  // Where a checkout keeps compiled code; a built program has a folder of its own for that.
  'packages/runtime/src/begin-program.mjs': ['packages/runtime/src/node.env'],
  // It looks for an npm package.
  'packages/embedded/src/postgres-binaries.ts': [],
  'apps/sandbox/src/phone/send-page.ts': ['apps/sandbox/src/phone/page/*'],
  'apps/api/src/docs/docs.ts': [
    'apps/api/src/docs/page.{css,html,js}',
    'node_modules/swagger-ui-dist/{favicon-32x32.png,swagger-ui.css,swagger-ui-bundle.js}',
  ],
  'apps/api/src/queue-board/queue-board.ts': ['node_modules/@bull-board/ui/dist/**/*.*'],
  'packages/redis/src/script-text.ts': ['packages/redis/src/scripts/**/*.lua'],
};

/** Where a program finds the copy of a file of the checkout, from its folder. */
export function copyOf(path) {
  return join('assets', path.replace(/^node_modules\//, 'npm/'));
}

/** A plugin that copies the files, and lets `import.meta` of a source lead to the copies. */
export function copiedFiles(root) {
  function handler(code, id) {
    const source = relative(root, id);
    const globs = FILES_OF[source];
    if (globs === undefined)
      throw new Error(`Name the files that ${source} reads in scripts/programs/copied-files.mjs`);
    for (const path of globs.flatMap((glob) => filesOf(root, glob))) {
      this.emitFile({ type: 'asset', fileName: copyOf(path), source: readFileSync(join(root, path)) });
    }
    // The map stays right: each source stays in its line.
    return { code: leadToCopies(code, source), map: null };
  }
  return {
    name: 'copied-files',
    transform: { filter: { id: { exclude: /\/node_modules\/|^\0/ }, code: /\bimport\.meta\./ }, handler },
  };
}

function filesOf(root, glob) {
  const paths = globSync(glob, { cwd: root });
  if (paths.length === 0) throw new Error(`There is no ${glob}`);
  return paths.sort();
}

function leadToCopies(code, source) {
  const url = (path) => `new URL(${JSON.stringify(`./${path}`)}, import.meta.url).href`;
  return code
    .replaceAll(/\bimport\.meta\.url\b/g, url(copyOf(source)))
    .replaceAll(/\bimport\.meta\.resolve\('([^']+)'\)/g, (_call, path) => url(copyOf(`node_modules/${path}`)))
    .replaceAll(
      /\bimport\.meta\.dirname\b/g,
      `(import.meta.dirname + ${JSON.stringify(`/${copyOf(dirname(source))}`)})`,
    );
}

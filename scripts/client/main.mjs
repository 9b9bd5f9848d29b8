import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { apiTypes, routesOf } from './from-document.mjs';

const ROOT = resolve(import.meta.dirname, '../..');
const SOURCES = join(ROOT, 'packages/client');
/** Below node_modules, the compiler would write nothing. */
const FOLDER = mkdtempSync(join(tmpdir(), 'flotilla-client-'));
/** The imports of packages/client from the contract; the package has them from the document. */
const GENERATED = ['api.ts', 'routes.ts'];
const COMPILER = [
  ...[
    '--ignoreConfig',
    '--declaration',
    '--strict',
    '--exactOptionalPropertyTypes',
    '--rewriteRelativeImportExtensions',
  ],
  ...[
    '--target',
    'es2022',
    '--module',
    'nodenext',
    '--lib',
    'es2022,dom,dom.iterable,dom.asynciterable',
    '--types',
    '',
  ],
];

const [npmCli, folder = ROOT] = process.argv.slice(2);
const target = resolve(folder);
const document = JSON.parse(read('docs/openapi.json'));
mkdirSync(join(FOLDER, 'src'), { recursive: true });
cpSync(join(SOURCES, 'src'), join(FOLDER, 'src'), {
  recursive: true,
  filter: (path) => !GENERATED.some((name) => path.endsWith(`/${name}`)) && !path.endsWith('.test.ts'),
});
writeFileSync(join(FOLDER, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`);
writeFileSync(join(FOLDER, 'src/routes.ts'), routesOf(document));
writeFileSync(join(FOLDER, 'src/api.ts'), await apiTypes(document, await typesOfDocument()));
const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
run(process.execPath, [compiler, ...COMPILER, '--outDir', 'dist', 'src/client.ts']);
rmSync(join(FOLDER, 'src'), { recursive: true });
cpSync(join(SOURCES, 'README.md'), join(FOLDER, 'README.md'));
cpSync(join(ROOT, 'LICENSE'), join(FOLDER, 'LICENSE'));
run(process.execPath, [npmCli, 'pack', '--silent', `--pack-destination=${target}`]);
rmSync(FOLDER, { recursive: true });

function manifest() {
  const { name, description } = JSON.parse(read('packages/client/package.json'));
  const { version, license } = JSON.parse(read('package.json'));
  return {
    ...{ name, version, description, license, type: 'module', sideEffects: false },
    keywords: ['telegram', 'bots', 'bot-api', 'flotilla', 'client'],
    exports: { '.': { types: './dist/client.d.ts', default: './dist/client.js' } },
    engines: { node: '>=20' },
  };
}

/** It stands beside the tests that use it, too: another copy would bring another TypeScript. */
async function typesOfDocument() {
  const found = createRequire(join(ROOT, 'packages/system-tests/package.json')).resolve('openapi-typescript');
  const { default: typesOf, astToString } = await import(pathToFileURL(found).href);
  const generate = typesOf.default ?? typesOf;
  return (astToString ?? typesOf.astToString)(
    await generate(pathToFileURL(join(ROOT, 'docs/openapi.json')), { defaultNonNullable: false }),
  );
}

function run(program, args) {
  execFileSync(program, args, { cwd: FOLDER, stdio: 'inherit' });
}

function read(path) {
  return readFileSync(join(ROOT, path), 'utf8');
}

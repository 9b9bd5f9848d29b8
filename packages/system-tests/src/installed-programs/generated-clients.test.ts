import { execFile } from 'node:child_process';
import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { installPackages } from './install-packages.ts';

// A client by openapi-typescript is generated, compiled and run with every change, in generated-client.test.ts.
const PACKAGES = {
  '@hey-api/openapi-ts': '0.99.0',
  '@oazapfts/runtime': '1.2.0',
  '@types/node': '24.19.2',
  oazapfts: '7.5.0',
  orval: '8.38.0',
  typescript: '5.9.3',
};
const DOCUMENT = join(import.meta.dirname, '../../../../docs/openapi.json');
const COMPILER = ['--noEmit', '--strict', '--skipLibCheck', '--target', 'es2024', '--lib', 'es2024,dom,dom.iterable'];

const run = promisify(execFile);
let folder: string;

beforeAll(async () => {
  folder = await installPackages(PACKAGES);
  await copyFile(DOCUMENT, join(folder, 'openapi.json'));
}, 300_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

/** What a program of these packages wrote, with its exit code. */
async function runProgram(program: string, args: string[]): Promise<{ code: number; output: string }> {
  const [command, options] = [join(folder, 'node_modules/.bin', program), { cwd: folder, maxBuffer: 1 << 26 }];
  return run(command, args, options).then(
    ({ stdout }) => ({ code: 0, output: stdout }),
    ({ code, stdout, stderr }) => ({ code, output: `${stdout}${stderr}` }),
  );
}

const ORVAL = `export default { api: { input: { target: './openapi.json' }, output: { target: './orval/api.ts', client: 'fetch' } } };`;

test.each([
  ['orval', ['--config', 'orval.config.mjs'], 'api.ts', 'sendMessage'],
  ['oazapfts', ['openapi.json', 'oazapfts/api.ts'], 'api.ts', 'sendMessage'],
  ['openapi-ts', ['-i', 'openapi.json', '-o', 'openapi-ts', '-c', '@hey-api/client-fetch'], 'index.ts', 'sendMessage'],
])(
  'a client that %s generates from the API document compiles',
  async (generator, args, file, operation) => {
    await mkdir(join(folder, generator));
    await writeFile(join(folder, 'orval.config.mjs'), ORVAL);
    expect(await runProgram(generator, args)).toMatchObject({ code: 0 });
    // An empty client would compile, too.
    const program = join(folder, `use-${generator}.ts`);
    const [path] = [`./${generator}/${file.replace('.ts', '')}`];
    await writeFile(program, `import { ${operation} } from '${path}';\nvoid ${operation};\n`);
    const compiler = [...COMPILER, '--module', 'esnext', '--moduleResolution', 'bundler', '--types', 'node', program];
    expect(await runProgram('tsc', compiler)).toEqual({ code: 0, output: '' });
  },
  300_000,
);

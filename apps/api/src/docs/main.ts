import { readFile, writeFile } from 'node:fs/promises';
import { apiDocument } from './api-document.ts';

// node apps/api/src/docs/main.ts <path> [--check]: writes the API document, or says whether the file there is stale.

const [path = 'docs/openapi.json', mode] = process.argv.slice(2);
const text = `${JSON.stringify(apiDocument(), null, 2)}\n`;
if (mode !== '--check') await writeFile(path, text);
else if ((await readFile(path, 'utf8').catch(() => '')) !== text) {
  process.stderr.write(`${path} is stale; refresh it with: npm run openapi\n`);
  process.exitCode = 1;
}

import { faultsOfDocumentFile, writeDocumentFile } from './document-file.ts';

// node apps/api/src/docs/main.ts <path> [--check]

const [path = 'docs/openapi.json', mode] = process.argv.slice(2);
const faults = mode === '--check' ? await faultsOfDocumentFile(path) : await writeDocumentFile(path).then(() => []);
for (const fault of faults) process.stderr.write(`${fault}\n`);
process.exitCode = faults.length === 0 ? 0 : 1;

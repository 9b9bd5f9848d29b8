import { readFile, writeFile } from 'node:fs/promises';
import { documentation } from '@flotilla/contract/openapi/documentation.ts';
import { endpoints } from '../endpoints/endpoints.ts';
import { apiDocument } from './api-document.ts';

/** Writes the document where people and their tools find it without running anything. */
export async function writeDocumentFile(path: string): Promise<void> {
  await writeFile(path, documentText());
}

/** What is wrong with the file, one sentence each: operations that nobody documented, and a document that is stale. */
export async function faultsOfDocumentFile(path: string): Promise<string[]> {
  const documented = new Set(documentation.map(({ operation }) => operation));
  const undocumented = endpoints
    .map(({ operation }) => operation)
    .filter((operation) => !documented.has(operation))
    .map(({ name }) => `${name} has no example: add one in packages/contract/src/openapi/documentation`);
  const isFresh = (await readFile(path, 'utf8').catch(() => '')) === documentText();
  return isFresh ? undocumented : [...undocumented, `${path} is stale; refresh it with: npm run openapi`];
}

function documentText(): string {
  return `${JSON.stringify(apiDocument(), null, 2)}\n`;
}

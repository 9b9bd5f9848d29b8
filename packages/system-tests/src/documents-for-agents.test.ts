import { execFileSync } from 'node:child_process';
import { existsSync, globSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, test } from '@jest/globals';

const ROOT = resolve(import.meta.dirname, '../../..');
const DOCUMENTS = [
  'README.md',
  'llms.txt',
  ...globSync(['skills/**/*.md', 'docs/*.md', 'docs/recipes/*.md'], { cwd: ROOT }),
];
/** Also below an address: `$URL/api/bots`. */
const REST_PATH = /(?<![\w.-])(?:\$[A-Z]+|https?:\/\/[\w.:-]+)?(\/api\/[a-z][\w/-]*\w)/g;

type Request = { method: string; url: { path: string[] } };
const throwAwayDirSync = () => mkdtempSync(join(tmpdir(), 'flotilla-collection-'));
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const namesIn = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([, name]) => String(name));

test('every REST path that the documents, llms.txt and the skill name is in the contract', () => {
  const { paths } = JSON.parse(read('docs/openapi.json')) as { paths: Record<string, unknown> };
  const unknown = DOCUMENTS.flatMap((path) =>
    namesIn(read(path), REST_PATH)
      .filter((name) => !Object.hasOwn(paths, name))
      .map((name) => `${path}: ${name}`),
  );
  expect(unknown).toEqual([]);
});

test('the collection for Postman has every operation once', () => {
  const file = join(throwAwayDirSync(), 'collection.json');
  execFileSync(process.execPath, [join(ROOT, 'scripts/postman.mjs'), file]);
  const { item } = JSON.parse(readFileSync(file, 'utf8')) as { item: { item: { request: Request }[] }[] };
  const { paths } = JSON.parse(read('docs/openapi.json')) as { paths: Record<string, object> };
  const inDocument = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.slice(1).replace(/\{(\w+)\}/g, ':$1')}`),
  );
  const requests = item.flatMap((folder) => folder.item.map(({ request }) => request));
  expect(requests.map(({ method, url }) => `${method} ${url.path.join('/')}`).toSorted()).toEqual(
    inDocument.toSorted(),
  );
});

test('the skill and the page for agents name all tools of MCP', () => {
  const tools = globSync('apps/api/src/mcp/*-tools.ts', { cwd: ROOT }).flatMap((path) =>
    namesIn(read(path), /\bname: '([a-z_]+)'/g),
  );
  expect(tools).toContain('wait_for_message');
  for (const path of ['skills/flotilla/SKILL.md', 'docs/FOR-AGENTS.md']) {
    expect(tools.filter((tool) => !read(path).includes(`\`${tool}\``))).toEqual([]);
  }
});

test('the links of llms.txt lead somewhere', () => {
  const links = namesIn(read('llms.txt'), /\]\(([^)]+)\)/g);
  expect(links.length).toBeGreaterThan(0);
  expect(links.filter((link) => !existsSync(join(ROOT, link)))).toEqual([]);
});

test('the entry for registries of MCP has this version, and a description that they take', () => {
  const { version } = JSON.parse(read('package.json')) as { version: string };
  const entry = JSON.parse(read('server.json')) as { version: string; description: string };
  expect(entry.version).toBe(version);
  expect(entry.description.length).toBeLessThanOrEqual(100);
});

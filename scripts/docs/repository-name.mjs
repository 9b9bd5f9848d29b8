import { globSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

const FILES = [
  ...['*.md', 'server.json', 'deploy/**/*', 'infra/**/*', 'docs/**/*.md', 'packages/client/README.md'],
  ...['scripts/check-watch.mjs', 'packages/system-tests/src/*.test.ts'],
];
const OWNER = /((?:ghcr\.io|github\.com)\/|io\.github\.|--repo )[\w-]+(?=\/flotilla\b)/g;

/** Files that name the repository, its images or its package. */
export function filesWithRepository(root) {
  const found = globSync(FILES, { cwd: root }).filter((path) => statSync(join(root, path)).isFile());
  return found.filter((path) => readFileSync(join(root, path), 'utf8').match(OWNER) !== null);
}

/** The text with the owner that `repository` of package.json names. */
export function withRepository(root, text) {
  const { repository } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const [, owner] = /^github:([\w-]+)\/flotilla$/.exec(repository) ?? [];
  if (owner === undefined) throw new Error('package.json: "repository" must be github:<owner>/flotilla');
  return text.replace(OWNER, `$1${owner}`);
}

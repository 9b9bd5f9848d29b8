import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The names of all settings, from .env.example, which a test compares with the code. */
export function knownSettings(root) {
  const lines = readFileSync(join(root, '.env.example'), 'utf8').matchAll(/^#? ?([A-Z][A-Z0-9_]+)=/gm);
  return new Set([...lines].map(([, name]) => name));
}

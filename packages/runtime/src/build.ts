import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

// The running build. scripts/programs/bundle.mjs replaces this module by its values, because an image has neither package.json nor git.

/** The release: 1.0.0. */
export const RELEASE: string = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8')).version;

/** The release and what it was built from, `1.0.0+a81ad683`: a commit. Without git the release alone. */
export const VERSION: string = [RELEASE, commitOf(join(import.meta.dirname, '../../..'))].filter(Boolean).join('+');

function commitOf(checkout: string): string | null {
  // Above a checkout without .git there may be the repository of something else.
  if (!existsSync(join(checkout, '.git'))) return null;
  try {
    // A service may run as another user than the owner of its checkout, which git refuses by default.
    const args = ['-c', `safe.directory=${checkout}`, '-C', checkout, 'rev-parse', '--verify', 'HEAD'];
    return execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).slice(0, 8);
  } catch {
    return null;
  }
}

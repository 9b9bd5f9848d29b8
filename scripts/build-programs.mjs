import { existsSync, readdirSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, runOnPinnedNode } from './bootstrap.mjs';
import { hashOfFiles } from './programs/hash-of-files.mjs';
import { BUILT_WITH, SOURCES } from './programs/sources.mjs';

const BUILDS = join(ROOT, 'node_modules/.cache/programs');
/** Longer than any run of the tests. */
const UNUSED_MS = 3 * 60 * 60 * 1000;

/**
 * Builds each program into one file, unless that was done for these very sources, and returns the folder; null if it
 * fails. The folder is named after the sources, so that a build never serves others.
 */
export async function buildPrograms() {
  const folder = folderOfSources();
  if (!isBuilt(folder)) {
    process.stderr.write('building the programs …\n');
    removeUnused();
    const code = await runOnPinnedNode(['scripts/programs/bundle.mjs', folder, '--console=apps/console/dist']);
    if (code !== 0) return null;
  }
  return folder;
}

/** The processes that this one starts run what is in the folder; with null they run the sources. */
export function startFrom(folder) {
  if (folder === null) delete process.env.BUILT_PROGRAMS;
  else process.env.BUILT_PROGRAMS = folder;
}

/** Where these very sources are built, now or later. */
export function folderOfSources() {
  return join(BUILDS, hashOfFiles([...SOURCES, ...BUILT_WITH]).slice(0, 16));
}

function isBuilt(folder) {
  if (!existsSync(folder)) return false;
  utimesSync(folder, new Date(), new Date());
  return true;
}

function removeUnused() {
  if (!existsSync(BUILDS)) return;
  for (const name of readdirSync(BUILDS)) {
    const folder = join(BUILDS, name);
    if (Date.now() - statSync(folder).mtimeMs > UNUSED_MS) rmSync(folder, { recursive: true, force: true });
  }
}

import { join, relative } from 'node:path';
import { hashOfFiles } from './hash-of-files.mjs';
import { BUILT_WITH, SOURCES } from './sources.mjs';

const BUILD = 'packages/runtime/src/build.ts';
/** Modules that find their values in a checkout; a program gets the values. */
const MODULES = [BUILD, 'packages/database/src/migration-names.ts'];

/** The values by module, and the version of the build: its release with a commit, or with a hash of its sources. */
export async function buildValues(commit) {
  if (!/^([0-9a-f]{40,64})?$/.test(commit)) throw new Error(`${commit} is no commit`);
  const found = await Promise.all(
    MODULES.map(async (module) => [module, { ...(await import(join('../..', module))) }]),
  );
  const modules = Object.fromEntries(found);
  const from = commit === '' ? `sources.${hashOfFiles([...SOURCES, ...BUILT_WITH]).slice(0, 8)}` : commit.slice(0, 8);
  const version = `${modules[BUILD].RELEASE}+${from}`;
  modules[BUILD].VERSION = version;
  return { version, modules };
}

/** A plugin that replaces each of these modules by its values. */
export function storedValues(root, { modules }) {
  const ids = MODULES.map((module) => new RegExp(`^${RegExp.escape(join(root, module))}$`));
  const handler = (id) =>
    Object.entries(modules[relative(root, id)])
      .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};\n`)
      .join('');
  return { name: 'stored-values', load: { filter: { id: ids }, handler } };
}

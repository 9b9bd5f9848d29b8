import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';

/** Packages that load a file of machine code, which npm chooses for the platform. */
export const NATIVE = ['@node-rs/argon2'];
const PREFIX = '\0native:';

/** A plugin that copies the machine code of such packages beside the program, and the files that it took. */
export function nativePackages(root) {
  const require = createRequire(join(root, 'package.json'));
  const taken = [];
  function load(id) {
    const name = id.slice(PREFIX.length);
    const names = Object.keys(require(name));
    const library = require.resolve(name);
    const code = require.cache[library].children.map(({ filename }) => filename).find((file) => file.endsWith('.node'));
    if (code === undefined) throw new Error(`${name} has loaded no machine code`);
    taken.push(library, code);
    this.emitFile({ type: 'asset', fileName: basename(code), source: readFileSync(code) });
    return `import { createRequire } from 'node:module';
export const { ${names.join(', ')} } = createRequire(import.meta.url)('./${basename(code)}');
`;
  }
  const plugin = {
    name: 'native-packages',
    resolveId: {
      filter: { id: NATIVE.map((name) => new RegExp(`^${name}$`)) },
      handler: (name) => `${PREFIX}${name}`,
    },
    load: { filter: { id: new RegExp(`^${PREFIX}`) }, handler: load },
  };
  return { plugin, files: () => taken };
}

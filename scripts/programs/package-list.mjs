import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const PACKAGE = /^.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//;

/**
 * The packages that are built into a program, as CycloneDX: https://cyclonedx.org/docs/1.6/json/. A scanner of images finds
 * packages in node_modules only, and would take a program for one file of nobody.
 */
export function packageList(root, program, version, modules, output) {
  const copied = output.map(({ fileName }) => fileName.replace(/^assets\/npm\//, `${root}/node_modules/`));
  const folders = [...modules, ...copied].flatMap((file) => PACKAGE.exec(file)?.[0] ?? []);
  const components = [...new Set(folders)].filter((folder) => existsSync(join(folder, 'package.json'))).map(component);
  const byRef = Map.groupBy(components, ({ purl }) => purl);
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: { type: 'application', 'bom-ref': program, name: program, version } },
    components: [...byRef.keys()].sort().map((purl) => byRef.get(purl)[0]),
  };
}

function component(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  const licenses = typeof license === 'string' ? { licenses: [{ expression: license }] } : {};
  return { type: 'library', 'bom-ref': purl, name, version, purl, ...licenses };
}

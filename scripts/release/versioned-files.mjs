import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A version that is replaced stands between these two. */
const around = (before, after = '') =>
  new RegExp(`(?<=${before})[0-9]+\\.[0-9]+\\.[0-9]+[0-9a-z.-]*?(?=${after})`, 'gm');
const OWN_FIELD = [around('^  "version": "', '"')];

/** Where the version stands, as globs from the root; each file has all its places. */
const PLACES = [
  ['package.json', OWN_FIELD],
  ['server.json', OWN_FIELD],
  ['{apps,packages}/*/package.json', OWN_FIELD],
  // In the lock file the versions of packages stand deeper.
  [
    'package-lock.json',
    [
      around('^  "version": "', '"'),
      around('^      "name": "(?:flotilla|@flotilla/[a-z-]+)",\n      "version": "', '"'),
    ],
  ],
  ['SECURITY.md', [around('/api:', '$'), around('refs/tags/v', '$'), around('package=flotilla-', '\\.tgz')]],
  ['docs/openapi.json', [around('^    "title": "Flotilla",\n    "version": "', '"')]],
  ['infra/helm/flotilla/Chart.yaml', [around('^version: "?', '"?$'), around('^appVersion: "?', '"?$')]],
  [
    'infra/helm/rendered/*.yaml',
    [around('(?:/version: "|/chart: flotilla-|/(?:api|worker|migrate|maintenance):)', '"?$')],
  ],
  ['infra/docker/compose.env.example', [around('FLOTILLA_VERSION=', '$')]],
  ['docs/operations/backup.md', [around('/maintenance:', ' ')]],
  ['docs/operations/install.md', [around('/opt/flotilla/', '(?:/|$)'), around('/all:', '$')]],
  ['README.md', [around('/all:', '`'), around('flotilla-', '\\.tgz')]],
  ['deploy/{fly.toml,render.yaml,casaos.yml,unraid.xml,railway/Dockerfile}', [around('/all:', '(?:"|<|$)')]],
];

/** The texts of these files with a version, by path; and the files where it cannot be set. A file that is not there needs none. */
export function versionedFiles(root, version) {
  const files = new Map();
  const unversioned = [];
  for (const [glob, places] of PLACES) {
    for (const file of globSync(glob, { cwd: root })) {
      const text = readFileSync(join(root, file), 'utf8');
      if (places.every((place) => text.match(place) !== null)) files.set(file, set(text, places, version));
      else unversioned.push(file);
    }
  }
  return { files, unversioned };
}

function set(text, places, version) {
  return places.reduce((changed, place) => changed.replace(place, version), text);
}

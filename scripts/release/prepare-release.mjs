import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { datedChangelog, entryOf } from './changelog.mjs';
import { versionedFiles } from './versioned-files.mjs';

const CHANGELOG = 'CHANGELOG.md';
const VERSION = /^(\d+)\.(\d+)\.(\d+)(?:-([0-9a-z]+(?:\.[0-9a-z]+)*))?$/;

/**
 * Prepares a release in a checkout, with a commit and a tag. Returns all reasons against it, or the files that it changed (or
 * would change) and the tag.
 */
export function prepareRelease(root, version, { dryRun, date }) {
  const git = (...args) => execFileSync('git', ['-C', root, ...args], { encoding: 'utf8' }).trim();
  const tag = `v${version}`;
  const changelog = readFileSync(join(root, CHANGELOG), 'utf8');
  const { files, unversioned } = versionedFiles(root, version);
  const faults = [
    ...versionFaults(version, git('tag', '--list', 'v*').split('\n').filter(Boolean)),
    ...(git('status', '--porcelain') === '' ? [] : ['There are changes that are not committed.']),
    ...(git('branch', '--show-current') === 'main' ? [] : ['This is not the branch main.']),
    ...(entryOf(changelog, 'Unreleased') ? [] : [`${CHANGELOG} says nothing below ## [Unreleased].`]),
    ...unversioned.map((file) => `${file} names no version where scripts/release/versioned-files.mjs expects it.`),
  ];
  if (faults.length > 0) return { faults, changed: [], tag };
  const texts = new Map([...files, [CHANGELOG, datedChangelog(changelog, version, date)]]);
  const changed = [...texts.keys()].filter((file) => texts.get(file) !== readFileSync(join(root, file), 'utf8'));
  if (!dryRun) {
    for (const file of changed) writeFileSync(join(root, file), texts.get(file));
    git('commit', '--quiet', '--message', `Release ${version}`, '--', ...changed);
    git('tag', '--annotate', '--message', `Flotilla ${version}`, tag);
  }
  return { faults, changed, tag };
}

function versionFaults(version, tags) {
  if (!VERSION.test(version)) return [`${version} is no version such as 1.4.0 or 1.4.0-rc.1.`];
  const known = tags.map((tag) => tag.slice(1)).filter((name) => VERSION.test(name));
  if (known.includes(version)) return [`There is a tag v${version}.`];
  const newest = known.toSorted(compareVersions).at(-1);
  return newest === undefined || compareVersions(newest, version) < 0 ? [] : [`${version} is not above ${newest}.`];
}

/** The order of https://semver.org: a preview is before its release. */
function compareVersions(one, other) {
  const [first, second] = [one, other].map((version) => VERSION.exec(version).slice(1));
  const [before, after] = [first, second].map((parts) => parts.slice(0, 3).map(Number));
  const apart = before.map((number, place) => number - after[place]).find((difference) => difference !== 0);
  if (apart !== undefined) return apart;
  if (first[3] === second[3]) return 0;
  if (first[3] === undefined) return 1;
  if (second[3] === undefined) return -1;
  return first[3].localeCompare(second[3], 'en', { numeric: true });
}

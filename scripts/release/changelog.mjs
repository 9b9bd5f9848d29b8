// CHANGELOG.md has the form of https://keepachangelog.com: one part for each version, the newest first.

const UNRELEASED = '## [Unreleased]';

/** The text of a version (or of `Unreleased`); null if there is no such part or it is empty. */
export function entryOf(changelog, version) {
  const part = changelog.split(/^## /m).find((text) => text.startsWith(`[${version}]`));
  return part?.slice(part.indexOf('\n')).trim() || null;
}

/** Gives what is not released yet to a version of this day, and leaves an empty part for what follows. */
export function datedChangelog(changelog, version, date) {
  const heading = `## [${version}] - ${date.toISOString().slice(0, 10)}`;
  return changelog.replace(UNRELEASED, `${UNRELEASED}\n\n${heading}`);
}

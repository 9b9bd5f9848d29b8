import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMap, parseDocument } from 'yaml';
import { table } from './table.mjs';

const VALUES = 'infra/helm/flotilla/values.yaml';

export function helmValues(root) {
  const { contents } = parseDocument(readFileSync(join(root, VALUES), 'utf8'));
  return { values: table(['Value', 'Default', 'Meaning'], rowsOf(contents, '')) };
}

/** A row for each value with a comment; a map whose values have none is one value. */
function rowsOf(map, prefix) {
  return map.items.flatMap(({ key, value }, at) => {
    const path = `${prefix}${key.value}`;
    // The comment of a map's first key belongs to the map.
    const comment = key.commentBefore ?? (at === 0 ? map.commentBefore : undefined);
    const meaning = comment && lastParagraph(comment);
    if (isMap(value) && hasComments(value)) return rowsOf(value, `${path}.`);
    if (meaning === undefined) throw new Error(`${VALUES}: ${path} has no comment`);
    return [[`\`${path}\``, `\`${JSON.stringify(value.toJSON())}\``, meaning]];
  });
}

function hasComments(map) {
  const nested = map.items.some(
    ({ key, value }) => key.commentBefore !== undefined || (isMap(value) && hasComments(value)),
  );
  return nested || map.commentBefore !== undefined;
}

/** Text before an empty line is about the file. */
function lastParagraph(comment) {
  const [paragraph] = comment.split(/\n *\n/).slice(-1);
  return paragraph
    .split('\n')
    .map((line) => line.trim())
    .join(' ');
}

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMap, parseDocument } from 'yaml';
import { table } from './table.mjs';

const VALUES = 'infra/helm/flotilla/values.yaml';
/** The kinds of workers have the same values; the first one's comments say what they mean. */
const SAME = /^workers\.(?!polling)\w+/;

export function helmValues(root) {
  const { contents } = parseDocument(readFileSync(join(root, VALUES), 'utf8'));
  const meanings = new Map();
  const rows = rowsOf(contents, '', meanings);
  return { values: table(['Value', 'Default', 'Meaning'], rows) };
}

function rowsOf(map, prefix, meanings) {
  return map.items.flatMap(({ key, value }, at) => {
    const path = `${prefix}${key.value}`;
    // The comment of a map's first key belongs to the map.
    const comment = key.commentBefore ?? (at === 0 ? map.commentBefore : undefined);
    const meaning = comment && lastParagraph(comment);
    if (meaning !== undefined) meanings.set(path, meaning);
    if (isMap(value) && hasComments(value)) return rowsOf(value, `${path}.`, meanings);
    const known = meaning ?? meanings.get(path.replace(SAME, 'workers.polling'));
    if (known === undefined) throw new Error(`${VALUES}: ${path} has no comment`);
    return [[`\`${path}\``, `\`${JSON.stringify(value.toJSON())}\``, known]];
  });
}

function hasComments(map) {
  const nested = map.items.some(
    ({ key, value }) => key.commentBefore !== undefined || (isMap(value) && hasComments(value)),
  );
  return nested || map.commentBefore !== undefined;
}

/** What stands before an empty line is about the file. */
function lastParagraph(comment) {
  const [paragraph] = comment.split(/\n *\n/).slice(-1);
  return paragraph
    .split('\n')
    .map((line) => line.trim())
    .join(' ');
}

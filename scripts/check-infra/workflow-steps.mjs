import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

const FOLDER = '.github/workflows';

/** The workflows of the repository: path, text and parsed YAML. */
export function workflows(root) {
  return readdirSync(join(root, FOLDER))
    .filter((file) => /\.ya?ml$/.test(file))
    .map((file) => {
      const text = readFileSync(join(root, FOLDER, file), 'utf8');
      return { file: `${FOLDER}/${file}`, text, content: parse(text) };
    });
}

/** All steps of all jobs. */
export function stepsOf({ content }) {
  return Object.values(content?.jobs ?? {}).flatMap((job) => job.steps ?? []);
}

/** All steps that run a script. */
export function runSteps(root) {
  return workflows(root).flatMap((workflow) =>
    stepsOf(workflow)
      .filter((step) => step.run !== undefined)
      .map((step) => ({ file: workflow.file, name: step.name ?? step.run.split('\n', 1)[0], script: step.run })),
  );
}

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EXAMPLES, parsed } from '../helm/variants.mjs';
import { findTool, run } from './tools.mjs';
import { runSteps } from './workflow-steps.mjs';

/** Every user of a host can read the arguments of its processes. */
const PASSWORD_ARGUMENT = /--(requirepass|masterauth|pass)\b|\bredis-cli\b[^\n|;]*\s-(a|u)\s/;

/** Runs shellcheck on every shell script of the repository and on every `run:` of the workflows. */
export async function checkShell(root, leaveOut) {
  const passwords = passwordFaults(root);
  const shellcheck = await findTool('shellcheck', 'shellcheck', leaveOut);
  if (shellcheck === null) return passwords;
  const scripts = shellScripts(root);
  const ofFiles = run(shellcheck, ['--format=gcc', ...scripts], { cwd: root });
  return [
    ...passwords,
    ...(ofFiles.ok ? [] : [ofFiles.output]),
    ...runSteps(root).flatMap((step) => stepFaults(shellcheck, step)),
    ...scriptsOfExamples(root).flatMap((script) => exampleFaults(shellcheck, script)),
  ];
}

function passwordFaults(root) {
  const examples = exampleFiles(root).map((file) => `${EXAMPLES}/${file}`);
  const files = ['docker-compose.yml', ...examples, ...shellScripts(root)];
  return files
    .filter((file) => PASSWORD_ARGUMENT.test(readFileSync(join(root, file), 'utf8')))
    .map((file) => `${file}: a password is in the arguments of a process`);
}

function exampleFiles(root) {
  return readdirSync(join(root, EXAMPLES), { recursive: true }).filter((file) => file.endsWith('.yaml'));
}

/** Scripts that an example of the chart keeps in a ConfigMap. */
function scriptsOfExamples(root) {
  const documents = exampleFiles(root).flatMap((file) =>
    parsed(readFileSync(join(root, EXAMPLES, file), 'utf8'), `${EXAMPLES}/${file}`),
  );
  return documents
    .filter(({ manifest }) => manifest.kind === 'ConfigMap')
    .flatMap(({ file, manifest }) =>
      Object.entries(manifest.data).map(([name, text]) => ({ file: `${file}, ${name}`, text })),
    );
}

function exampleFaults(shellcheck, { file, text }) {
  const { ok, output } = run(shellcheck, ['--format=gcc', '--shell=sh', '-'], { input: text });
  return ok ? [] : [`${file}: ${output}`];
}

function shellScripts(root) {
  const { stdout } = run('git', ['-C', root, 'ls-files', '--cached', '--others', '--exclude-standard']);
  const files = stdout.split('\n').filter((file) => file !== '' && !/\.(ts|json|md|lua|ya?ml|conf|png)$/.test(file));
  return files.filter((file) => /^#!.*\b(ba|da)?sh\b/.test(firstLine(join(root, file))));
}

function firstLine(file) {
  try {
    return readFileSync(file, 'utf8').split('\n', 1)[0];
  } catch {
    // git lists it, but it is a link, or it was just deleted.
    return '';
  }
}

function stepFaults(shellcheck, { file, name, script }) {
  // GitHub runs steps with these options, and replaces ${{ }} before the shell starts.
  const text = `#!/bin/bash -e\n${script.replaceAll(/\$\{\{.*?\}\}/g, 'filled_in')}\n`;
  const { ok, output } = run(shellcheck, ['--format=gcc', '-'], { input: text });
  return ok ? [] : [`${file}, step "${name}": ${output}`];
}

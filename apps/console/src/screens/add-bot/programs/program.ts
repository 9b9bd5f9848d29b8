/** The kinds of steps; the words have a sentence for each. */
export type StepWord =
  | 'install'
  | 'file'
  | 'run'
  | 'n8nCredential'
  | 'n8nWorkflow'
  | 'n8nPublish'
  | 'n8nReach'
  | 'nodeRedInstall'
  | 'nodeRedFlow'
  | 'nodeRedToken'
  | 'openClawInstall'
  | 'openClawRoot'
  | 'openClawToken'
  | 'openClawStart'
  | 'openClawPair';

/** A text to copy as it is; `name` is that of its file. */
export type Code = { text: string; name?: string };
/** A field of a program's own page, by the name that it has there, and what to put in. */
export type FieldValue = readonly [label: string, value: string];

export type Step = { say: StepWord; code?: Code; fields?: readonly FieldValue[] };

/** A program that answers what it is told, or another that only needs settings. */
export type Program = {
  id: string;
  /** The label of its tab. */
  name: string;
  /** In the order of doing them. `root` is the API root of the installation. */
  steps: (root: string) => readonly Step[];
};

/** Stands for the token of the bot, which nothing here knows. */
export const TOKEN = '{{token}}';

/** A program in one file that a package manager prepares, with the token in its environment. */
export function programInFile(given: {
  id: string;
  name: string;
  install: string;
  file: string;
  run: string;
  text: (root: string) => string;
}): Program {
  const { id, name, install, file, run, text } = given;
  return {
    ...{ id, name },
    steps: (root) => [
      { say: 'install', code: { text: install } },
      { say: 'file', code: { text: text(root), name: file } },
      { say: 'run', code: { text: `BOT_TOKEN='${TOKEN}' ${run}` } },
    ],
  };
}

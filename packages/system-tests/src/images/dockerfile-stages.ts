import { readFileSync } from 'node:fs';
import { DockerfileParser } from 'dockerfile-ast';

/** One instruction: its arguments as one line (`text`), and as words without flags (`words`). */
export type Step = { keyword: string; text: string; words: string[]; from: string | null; mode: number | null };
/** One build stage; `base` is the stage on which it builds, or null for an external image. */
export type Stage = { name: string; base: string | null; steps: Step[] };

/** Reads the stages of a Dockerfile by name. Throws for a stage without a name. */
export function readStages(file: string): Map<string, Stage> {
  const stages = new Map<string, Stage>();
  let stage: Stage | null = null;
  for (const step of readSteps(readFileSync(file, 'utf8'))) {
    if (step.keyword === 'FROM') {
      const [base = '', , name] = step.words;
      if (name === undefined) throw new Error(`a stage from ${base} has no name`);
      stage = { name, base: stages.has(base) ? base : null, steps: [] };
      stages.set(name, stage);
    } else stage?.steps.push(step);
  }
  return stages;
}

function readSteps(dockerfile: string): Step[] {
  const lines = dockerfile.split('\n');
  return DockerfileParser.parse(dockerfile)
    .getInstructions()
    .map((instruction) => {
      const { start, end } = instruction.getRange();
      const whole = lines.slice(start.line, end.line + 1).join('\n');
      const text = whole.replaceAll(/\\\n\s*/g, ' ').replace(/^\S+\s+/, '');
      const [, flags = '', rest = ''] = /^((?:--\S+\s+)*)(.*)$/s.exec(text) ?? [];
      const from = /--from=(\S+)/.exec(flags)?.[1] ?? null;
      const mode = /--chmod=([0-7]+)/.exec(flags)?.[1];
      return {
        keyword: instruction.getKeyword(),
        text,
        words: rest.split(/\s+/),
        from,
        mode: mode === undefined ? null : Number.parseInt(mode, 8),
      };
    });
}

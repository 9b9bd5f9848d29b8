import { createHash } from 'node:crypto';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import dockerignore from '@balena/dockerignore';
import { readStages, type Step } from './dockerfile-stages.ts';

/** Returns a function that is true for paths of the context that are sent to the engine. */
export async function sentFiles(dockerfile: string, context: string): Promise<(path: string) => boolean> {
  const ignored = dockerignore.default().add(await readFile(`${dockerfile}.dockerignore`, 'utf8'));
  return (path) => path === context || !ignored.ignores(relative(context, path));
}

/**
 * The cache key of each stage, by the stage's name: derived from its instructions, the files that they copy, and the
 * stages on which it builds. An engine runs nothing of a stage again while its key stays the same.
 */
export async function cacheKeys(dockerfile: string, context: string): Promise<Map<string, string>> {
  const isSent = await sentFiles(dockerfile, context);
  const keys = new Map<string, string>();
  for (const { name, base, steps } of readStages(dockerfile).values()) {
    const key = createHash('sha256').update(base === null ? 'from outside' : keys.get(base)!);
    for (const step of steps) {
      key.update(`${step.keyword} ${step.text}\n`);
      for (const part of await copiedBy(step)) key.update(part);
    }
    keys.set(name, key.digest('hex'));
  }
  return keys;

  async function copiedBy(step: Step): Promise<(string | Buffer)[]> {
    if (step.keyword !== 'COPY') return [];
    if (step.from !== null) return [keys.get(step.from)!];
    const files = await Promise.all(step.words.slice(0, -1).map((source) => filesBelow(join(context, source))));
    const parts = files.flat().map(async (file) => [`\n${relative(context, file)}\n`, await readFile(file)]);
    return (await Promise.all(parts)).flat();
  }

  async function filesBelow(path: string): Promise<string[]> {
    if (!isSent(path)) return [];
    if (!(await stat(path)).isDirectory()) return [path];
    const names = (await readdir(path)).sort();
    return (await Promise.all(names.map((name) => filesBelow(join(path, name))))).flat();
  }
}

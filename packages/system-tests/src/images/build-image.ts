import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { inheritedEnv } from '@flotilla/runtime/env.ts';
import { sentFiles } from './cache-keys.ts';
import { readStages, type Step } from './dockerfile-stages.ts';

const run = promisify(execFile);
const MAX_OUTPUT_BYTES = 1 << 24;

/** The image of a container; `dir` stands for its root. */
export type Image = {
  dir: string;
  workdir: string;
  env: Record<string, string>;
  args: Record<string, string>;
  user: string;
  stopSignal: string;
  command: string[];
  healthcheck: string[] | null;
};

export type ImageBuilder = { build(target: string): Promise<Image> };

/**
 * Builds the stages of a Dockerfile in folders as a Docker engine does: the same files under the same .dockerignore,
 * the same RUN lines, and `node` as the base image's Node. Throws for an unknown instruction.
 */
export function imageBuilder(options: {
  dockerfile: string;
  context: string;
  folder: string;
  node: string;
  args?: Record<string, string>;
}): ImageBuilder {
  const stages = readStages(options.dockerfile);
  const built = new Map<string, Promise<Image>>();
  const build = (target: string): Promise<Image> => {
    const known = built.get(target);
    if (known !== undefined) return known;
    const building = buildStage(target);
    built.set(target, building);
    return building;
  };
  async function buildStage(target: string): Promise<Image> {
    const stage = stages.get(target);
    if (stage === undefined) throw new Error(`the Dockerfile has no stage ${target}`);
    const dir = join(options.folder, target);
    const image = stage.base === null ? emptyImage(dir) : { ...(await build(stage.base)), dir };
    if (stage.base === null) await mkdir(dir, { recursive: true });
    else await run('cp', ['-a', join(options.folder, stage.base), dir]);
    for (const step of stage.steps) await take(image, step);
    return image;
  }
  async function take(image: Image, step: Step): Promise<void> {
    const here = join(image.dir, image.workdir);
    if (step.keyword === 'RUN') return runLine(step.text, here, options.node, image);
    if (step.keyword === 'ARG') return declareArgument(image, step, options.args);
    if (step.keyword !== 'COPY') return configure(image, step);
    const target = step.words.at(-1)!;
    for (const source of step.words.slice(0, -1)) {
      if (step.from !== null) await copyFromStage(join((await build(step.from)).dir, source), join(here, target));
      else {
        const to = target.endsWith('/') ? join(here, target, basename(source)) : join(here, target);
        await copyFromContext(options, { source, to, mode: step.mode });
      }
    }
  }
  return { build };
}

function emptyImage(dir: string): Image {
  return { dir, workdir: '/', env: {}, args: {}, user: '0:0', stopSignal: 'SIGTERM', command: [], healthcheck: null };
}

/** Runs a line as the image's user if we are root, who alone can become another user. */
async function runLine(line: string, cwd: string, node: string, { env: own, args: given, user }: Image): Promise<void> {
  const { PATH } = inheritedEnv();
  // Packages in npm's cache need no download; the lock file decides the versions.
  const env = {
    ...inheritedEnv(),
    ...own,
    ...given,
    PATH: `${dirname(node)}:${PATH}`,
    npm_config_prefer_offline: 'true',
  };
  const [uid, gid] = user.split(':');
  const asUser =
    uid !== '0' && process.getuid?.() === 0 ? [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'] : null;
  const command = ['sh', '-ec', line];
  const [file, ...args] = asUser === null ? command : ['setpriv', ...asUser, ...command];
  await run(file!, args, { cwd, env, maxBuffer: MAX_OUTPUT_BYTES });
}

async function copyFromStage(source: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true });
  await run('cp', ['-a', `${source}/.`, to]);
}

/** Copies through a separate folder, so that chmod changes only the copied files and not existing ones. */
async function copyFromContext(
  { dockerfile, context, folder }: { dockerfile: string; context: string; folder: string },
  { source, to, mode }: { source: string; to: string; mode: number | null },
): Promise<void> {
  const copied = join(await mkdtemp(join(folder, 'copied-')), basename(source));
  const isSent = await sentFiles(dockerfile, context);
  await cp(join(context, source), copied, { recursive: true, verbatimSymlinks: true, filter: isSent });
  if (mode !== null) await run('chmod', ['-R', mode.toString(8), copied]);
  await mkdir(dirname(to), { recursive: true });
  await cp(copied, to, { recursive: true, verbatimSymlinks: true });
  await rm(dirname(copied), { recursive: true });
}

/** An argument that nobody gives and that has no default is an empty variable. */
function declareArgument(image: Image, { words: [word = ''] }: Step, given: Record<string, string> = {}): void {
  const [name = '', value = ''] = word.split('=');
  image.args = { ...image.args, [name]: given[name] ?? value };
}

function configure(image: Image, { keyword, words, text }: Step): Promise<void> | void {
  switch (keyword) {
    case 'WORKDIR':
      image.workdir = words[0]!;
      return mkdir(join(image.dir, image.workdir), { recursive: true }).then(() => undefined);
    case 'ENV':
      image.env = { ...image.env, ...Object.fromEntries(words.map((pair) => pair.split('='))) };
      return;
    case 'USER':
      image.user = words[0]!;
      return;
    case 'STOPSIGNAL':
      image.stopSignal = words[0]!;
      return;
    case 'CMD':
    case 'ENTRYPOINT':
      image.command = JSON.parse(text) as string[];
      return;
    case 'HEALTHCHECK':
      image.healthcheck = text === 'NONE' ? null : (JSON.parse(text.slice(text.indexOf('['))) as string[]);
      return;
    case 'LABEL':
    case 'EXPOSE':
      return;
    default:
      throw new Error(`what ${keyword} does is not known here`);
  }
}

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { contentSamples } from './content-samples.ts';
import { edgeSamples } from './edge-samples.ts';
import { kindSamples } from './kind-samples.ts';
import { serviceSamples } from './service-samples.ts';

export interface UpdateSample {
  name: string;
  /** The name of the payload's field. */
  kind: string;
  /** The update, byte for byte as the platform would send it. */
  text: string;
}

const FIRST_UPDATE_ID = 81_000_001;

/**
 * Samples of every update kind, every kind of content and the main service messages, and some whose bytes are easily
 * changed; ids rise from sample to sample. If a folder is given, its `.json` files follow unchanged.
 */
export async function loadUpdateSamples(corpusFolder?: string): Promise<UpdateSample[]> {
  const messages = { ...contentSamples, ...serviceSamples };
  const templates: [name: string, template: string][] = [
    ...Object.entries(messages).map(([name, payload]) => [name, withKind('message', payload)] as [string, string]),
    ...Object.entries(kindSamples).map(
      ([name, payload]) => [name, withKind(kindOf(name), payload)] as [string, string],
    ),
    ...Object.entries(edgeSamples),
  ];
  const own = templates.map(([name, template], index) => {
    return toSample(name, template.replace('ID', String(FIRST_UPDATE_ID + index)));
  });
  return corpusFolder === undefined ? own : [...own, ...(await readFolder(corpusFolder))];
}

async function readFolder(folder: string): Promise<UpdateSample[]> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.json')).sort();
  return Promise.all(
    files.map(async (name) => toSample(`corpus ${name}`, (await readFile(join(folder, name), 'utf8')).trim())),
  );
}

function toSample(name: string, text: string): UpdateSample {
  const kind = Object.keys(JSON.parse(text) as object).find((key) => key !== 'update_id') ?? '';
  return { name, kind, text };
}

// The platform writes updates with this line break.
function withKind(kind: string, payload: string): string {
  return `{"update_id":ID,\n"${kind}":${payload}}`;
}

function kindOf(name: string): string {
  return name.split(':')[0] ?? name;
}

import { z } from 'zod';
import type { SimFile } from '../files/sim-file.ts';
import { ControlError } from './control-error.ts';
import { operation } from './operation.ts';

/** `path`: where bots download it, below `/file/bot<token>/`. */
export type ShownFile = { name: string; size: number; sha256: string; fileId: string; mime: string; path: string };

export function showFile({ name, sha256, fileId, mime, path, bytes }: SimFile): ShownFile {
  return { name, size: bytes.length, sha256, fileId, mime, path };
}

export const readFile = operation(
  'Shows a file: its name, size and type, and the path at which bots download it',
  {
    input: z.strictObject({ fileId: z.string().describe('id of the file, as a message names it') }),
    example: { fileId: 'Simdoc0_AbCdEf' },
  },
  (sim, { fileId }): ShownFile => {
    const file = sim.files.get(fileId);
    if (file === undefined) throw new ControlError(`there is no file ${fileId}`);
    return showFile(file);
  },
);

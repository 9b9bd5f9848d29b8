import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { findProgram } from '@flotilla/embedded/find-program.ts';

const PNGQUANT = {
  names: ['pngquant'],
  aptPackage: 'pngquant',
  missing: 'There is no pngquant on the PATH: install it (Debian: sudo apt-get install pngquant).',
};

/** Gives a PNG a palette, in place: a third of the bytes, and no difference that people see. */
export async function pngCompressor(): Promise<(file: string) => Promise<void>> {
  const pngquant = await findProgram(PNGQUANT, (line) => process.stderr.write(`${line}\n`));
  return async (file) => {
    await promisify(execFile)(pngquant, ['--force', '--strip', '--speed=1', '--output', file, '256', file]);
  };
}

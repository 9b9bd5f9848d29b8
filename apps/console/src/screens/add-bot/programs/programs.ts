import { NODE_PROGRAMS } from './node-programs.ts';
import { GO_PROGRAM, PYTHON_PROGRAMS } from './other-languages.ts';
import type { Program } from './program.ts';
import { SERVICES } from './services.ts';

/** In the order of their tabs. Tests run them as they stand here. */
export const PROGRAMS: readonly Program[] = [...NODE_PROGRAMS, ...PYTHON_PROGRAMS, GO_PROGRAM, ...SERVICES];

/** The lines of a text that have the API root: what differs from a program at Telegram. */
export function linesWithRoot(text: string, root: string): string[] {
  return text.split('\n').filter((line) => line.includes(root));
}

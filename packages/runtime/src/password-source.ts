import { type ExecFileException, execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { type Clock, systemClock } from './clock.ts';
import { remembered } from './remembered.ts';

export type PasswordSource = {
  /** The password, read within the last minute. Rejects with a PasswordError, which quotes neither command nor output. */
  read(): Promise<string>;
  /** The password was refused: the next call of `read` reads it anew. */
  refused(): void;
};

export class PasswordError extends Error {
  override name = 'PasswordError';
  readonly code = 'ENOPASSWORD';
}

const FILE = 'file:';
/** Postgres and Redis are given up after 4 s and 5 s, and the login itself takes some of that. */
const TIMEOUT_MS = 3_000;
const MAX_BYTES = 65_536;
/** Tokens live for minutes. A client of a Redis Cluster connects every 5 s, to read the topology. */
const REUSED_FOR_MS = 60_000;

/** Why this is no usable password command; null if it is one. */
export function passwordCommandFault(text: string): string | null {
  if (text.startsWith(FILE)) return text.startsWith(`${FILE}/`) ? null : 'must name the file by its absolute path';
  const needsShell = /["'`$|&;<>(){}\\*?]/.test(text);
  return needsShell ? 'is run without a shell: write what needs quotes, variables or pipes into a script' : null;
}

/** The password that this command prints, or that `file:/…` contains. */
export function passwordSource(setting: string, command: string, clock: Clock = systemClock): PasswordSource {
  const readNow = async () => onlyLine(setting, await readText(setting, command));
  let read = remembered(clock, REUSED_FOR_MS, readNow);
  return {
    read: () => read(),
    refused: () => {
      read = remembered(clock, REUSED_FOR_MS, readNow);
    },
  };
}

function readText(setting: string, command: string): Promise<string> {
  if (!command.startsWith(FILE)) return run(setting, command.split(/\s+/));
  return readFile(command.slice(FILE.length), 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new PasswordError(`${setting}: the file cannot be read (${error.code})`);
  });
}

function run(setting: string, [program = '', ...args]: string[]): Promise<string> {
  const options = { timeout: TIMEOUT_MS, maxBuffer: MAX_BYTES, killSignal: 'SIGKILL' } as const;
  return new Promise((resolve, reject) => {
    execFile(program, args, options, (error, output) => {
      if (error === null) resolve(output);
      else reject(new PasswordError(`${setting}: the command ${howItFailed(error)}`));
    }).stdin?.end();
  });
}

function howItFailed({ code, killed, signal }: ExecFileException): string {
  if (code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') return `printed more than ${MAX_BYTES} bytes`;
  if (killed) return `took longer than ${TIMEOUT_MS / 1000} s`;
  if (typeof code === 'string') return `could not be started (${code})`;
  return signal ? `was ended by ${signal}` : `ended with exit code ${code}`;
}

function onlyLine(setting: string, text: string): string {
  const line = text.replace(/\r?\n$/, '');
  if (line === '') throw new PasswordError(`${setting}: there is no password in the output`);
  if (/[\r\n]/.test(line)) throw new PasswordError(`${setting}: the output has several lines`);
  return line;
}

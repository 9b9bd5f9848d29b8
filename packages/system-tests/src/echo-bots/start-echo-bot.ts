import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inheritedEnv } from '@flotilla/runtime/env.ts';
import { hasPythonTelegramBot } from '@flotilla/testing/python-telegram-bot.ts';
import type { EchoBotSettings } from './echo-bot-settings.ts';

/** Every library with an echo bot. */
const ALL_LIBRARIES = [
  'grammy',
  'telegraf',
  'node-telegram-bot-api',
  'node-telegram-bot-api-0.67',
  'gramio',
  'puregram',
  'python-telegram-bot',
] as const;

export type Library = (typeof ALL_LIBRARIES)[number];

/** The libraries that can run here: python-telegram-bot needs Debian's package. */
export const LIBRARIES: Library[] = ALL_LIBRARIES.filter(
  (library) => library !== 'python-telegram-bot' || hasPythonTelegramBot(),
);

export type EchoBot = { output(): string; stop(): Promise<void> };

const START_DEADLINE_MS = 60_000;

type Settings = Partial<EchoBotSettings> & Pick<EchoBotSettings, 'apiRoot' | 'token'>;

/** Starts the echo bot of a library. */
export function startEchoBot(library: Library, settings: Settings): Promise<EchoBot> {
  const extension = library === 'python-telegram-bot' ? 'py' : 'ts';
  return startBotProgram(new URL(`./${library}.${extension}`, import.meta.url), settings);
}

/** Starts a bot as a separate process and waits until it is ready; in webhook mode it gets a free port. */
export async function startBotProgram(
  file: URL,
  settings: Settings,
  environment: Record<string, string> = {},
): Promise<EchoBot> {
  const port = settings.mode === 'webhook' ? (settings.port ?? (await freePort())) : 0;
  const program = fileURLToPath(file);
  const child = spawn(
    program.endsWith('.py') ? '/usr/bin/python3' : process.execPath,
    [program, JSON.stringify({ ...settings, port })],
    { stdio: ['ignore', 'pipe', 'pipe'], env: { ...inheritedEnv(), ...environment } },
  );
  let output = '';
  const collect = (chunk: Buffer) => {
    output += chunk.toString('utf8');
  };
  child.stdout.on('data', collect);
  child.stderr.on('data', collect);
  await untilReady(child, basename(program), () => output);
  return { output: () => output, stop: () => stop(child) };
}

function untilReady(child: ChildProcess, name: string, output: () => string): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (why: string) => {
      clearTimeout(deadline);
      child.kill('SIGKILL');
      reject(new Error(`the bot of ${name} ${why}:\n${output()}`));
    };
    const deadline = setTimeout(() => fail('did not start in time'), START_DEADLINE_MS);
    child.once('exit', () => fail('ended'));
    child.once('error', (error) => fail(`could not be started (${error.message})`));
    child.stdout?.on('data', () => {
      if (!/^ready$/m.test(output())) return;
      clearTimeout(deadline);
      child.removeAllListeners('exit');
      resolve();
    });
  });
}

/** Ends the bot with SIGTERM first, and then with SIGKILL. */
async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  child.kill('SIGTERM');
  const killTimer = setTimeout(() => child.kill('SIGKILL'), 1_000);
  await exited;
  clearTimeout(killTimer);
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise<void>((resolve) => server.close(() => resolve()));
  if (address === null || typeof address === 'string') throw new Error('no free port was found');
  return address.port;
}

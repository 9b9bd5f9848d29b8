import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { NODE_ENV_FILE } from '@flotilla/runtime/program-entry.ts';

/** A program of nothing but Node's own parts, which shows what such a program reaches on this machine. */
export type Bare = { port: number; pid: number; stop(): Promise<void> };

/** Starts a proxy of nothing but node:http and undici. */
export async function startBareProxy(platformUrl: string): Promise<Bare> {
  return (await startBare('./bare-proxy.ts', [platformUrl])).bare;
}

/** Starts a server of nothing but node:http, which answers `/stored` with the text and holds all other requests. */
export async function startBareServer(): Promise<Bare & { store(text: string): Promise<void> }> {
  const { bare, child } = await startBare('./bare-server.ts', []);
  const store = async (text: string) => {
    const stored = once(child, 'message');
    child.send(text);
    await stored;
  };
  return { ...bare, store };
}

async function startBare(file: string, args: string[]): Promise<{ bare: Bare; child: ChildProcess }> {
  const child = fork(new URL(file, import.meta.url), args, {
    stdio: 'inherit',
    execArgv: [`--env-file=${NODE_ENV_FILE}`],
  });
  const [port] = (await once(child, 'message')) as [number];
  const stop = async () => {
    const ended = once(child, 'exit');
    child.disconnect();
    await ended;
  };
  return { bare: { port, pid: child.pid!, stop }, child };
}

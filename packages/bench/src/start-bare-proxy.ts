import { fork } from 'node:child_process';
import { once } from 'node:events';

/** A proxy of node:http and undici and nothing else, in a process of its own: what this machine allows such a one. */
export async function startBareProxy(platformUrl: string): Promise<{ url: string; stop(): Promise<void> }> {
  const child = fork(new URL('./bare-proxy.ts', import.meta.url), [platformUrl], { stdio: 'inherit' });
  const [port] = (await once(child, 'message')) as [number];
  return {
    url: `http://127.0.0.1:${port}`,
    stop: async () => {
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    },
  };
}

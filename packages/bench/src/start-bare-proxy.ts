import { fork } from 'node:child_process';
import { once } from 'node:events';

export type BareProxy = { url: string; pid: number; stop(): Promise<void> };

/** Starts a proxy of nothing but node:http and undici, which shows what such a proxy reaches on this machine. */
export async function startBareProxy(platformUrl: string): Promise<BareProxy> {
  const child = fork(new URL('./bare-proxy.ts', import.meta.url), [platformUrl], { stdio: 'inherit' });
  const [port] = (await once(child, 'message')) as [number];
  return {
    url: `http://127.0.0.1:${port}`,
    pid: child.pid!,
    stop: async () => {
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    },
  };
}

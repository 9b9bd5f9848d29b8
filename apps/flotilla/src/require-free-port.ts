import { createServer } from 'node:net';
import { SettingsError } from '@flotilla/runtime/env.ts';

/** Throws SettingsError with one sentence when nothing can listen on the port. Port 0 is always free. */
export async function requireFreePort(setting: string, host: string, port: number): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve)).catch(
    (error: NodeJS.ErrnoException) => {
      const taken = `Port ${port} is taken by another program: choose one, for example ${setting}=${port + 10}.`;
      const sentence = error.code === 'EADDRINUSE' ? taken : `Nothing can listen on ${host}:${port}: ${error.message}.`;
      throw new SettingsError(sentence);
    },
  );
  await new Promise((resolve) => server.close(resolve));
}

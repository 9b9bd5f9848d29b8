import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@flotilla/embedded/free-port.ts';
import { findNginx } from '@flotilla/testing/fleet/nginx.ts';
import { waitFor } from '@flotilla/testing/wait-for.ts';

export type Nginx = { url: string; stop(): Promise<void> };

const MESSAGE = {
  message_id: 7,
  from: { id: 700001, is_bot: true, first_name: 'Bench', username: 'bench_bot' },
  chat: { id: 5, type: 'private', first_name: 'Ann' },
  date: 1763600000,
  text: 'hello',
};
const ANSWERS = {
  getMe: { id: 700001, is_bot: true, first_name: 'Bench', username: 'bench_bot' },
  sendMessage: MESSAGE,
};

/** A platform that answers getMe, sendMessage and everything else at once, as fast as nginx can. */
export function startPlatform(): Promise<Nginx> {
  const locations = Object.entries(ANSWERS).map(
    ([method, result]) => `location ~* /${method}$ { return 200 '${JSON.stringify({ ok: true, result })}'; }`,
  );
  return startNginx(`${locations.join('\n')} location / { return 200 '{"ok":true,"result":true}'; }`);
}

/** A plain nginx reverse proxy in front of that platform, as the base of comparison. */
export function startReverseProxy(target: string): Promise<Nginx> {
  const upstream = `upstream platform { server ${new URL(target).host}; keepalive 64; }`;
  const pass = `location / { proxy_pass http://platform; proxy_http_version 1.1; proxy_set_header Connection ""; }`;
  return startNginx(pass, upstream);
}

async function startNginx(locations: string, upstream = ''): Promise<Nginx> {
  const directory = await mkdtemp(join(tmpdir(), 'flotilla-bench-'));
  const port = await freePort();
  const file = join(directory, 'nginx.conf');
  await writeFile(
    file,
    `daemon off; worker_processes 1; pid ${directory}/pid; error_log ${directory}/error.log;
events { worker_connections 4096; }
http { access_log off; default_type application/json; keepalive_requests 100000000;
client_body_temp_path ${directory}/body; proxy_temp_path ${directory}/proxy; fastcgi_temp_path ${directory}/f;
uwsgi_temp_path ${directory}/u; scgi_temp_path ${directory}/s;
${upstream}
server { listen 127.0.0.1:${port}; ${locations} } }`,
  );
  const child = spawn(await findNginx(), ['-c', file, '-p', directory], { stdio: 'ignore' });
  const url = `http://127.0.0.1:${port}`;
  await waitFor(async () => (await fetch(`${url}/bot1:x/close`).catch(() => null)) !== null, { message: 'nginx' });
  return {
    url,
    stop: async () => {
      const ended = new Promise((resolve) => child.once('close', resolve));
      child.kill('SIGTERM');
      await ended;
      await rm(directory, { recursive: true, force: true });
    },
  };
}

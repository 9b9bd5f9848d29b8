import { spawn } from 'node:child_process';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findProgram, type WantedProgram } from '@flotilla/embedded/find-program.ts';
import { freePort } from '@flotilla/embedded/free-port.ts';
import { throwAwayDir } from '../throw-away-dir.ts';
import { waitFor } from '../wait-for.ts';

const RULES = join(import.meta.dirname, '../../../../infra/nginx');

/** One request as nginx's access log shows it. */
export type NginxRequest = {
  method: string;
  path: string;
  /** The status that the client got; 499 when the client left first. */
  status: number;
  /** The statuses of the pods that nginx tried, in order; 502 when a pod was unreachable. */
  tried: number[];
};

export type Nginx = {
  url: string;
  port: number;
  requests(): Promise<NginxRequest[]>;
  stop(): Promise<void>;
};

const NGINX: WantedProgram = {
  names: ['nginx'],
  aptPackage: 'nginx',
  missing:
    'There is no nginx on the PATH: install it (Debian, Ubuntu: sudo apt-get install nginx; macOS: brew install nginx).',
};

/** Returns the path of nginx; findProgram installs it if missing. */
export function findNginx(): Promise<string> {
  return findProgram(NGINX, (line) => process.stderr.write(`${line}\n`));
}

/** Starts nginx with production's rules in front of api processes on these local ports. */
export async function startNginx(options: {
  port?: number;
  apiPorts: number[];
  /** More directives for the server block. */
  server?: string;
  /** After so many failures nginx skips an api for a while. [1, as in production] */
  maxFails?: number;
}): Promise<Nginx> {
  const port = options.port ?? (await freePort());
  const folder = await throwAwayDir();
  // Started as root, nginx's workers run as another user, which must write large bodies to this folder.
  await chmod(folder, 0o777);
  const log = join(folder, 'access.log');
  const file = join(folder, 'nginx.conf');
  const { apiPorts, server = '', maxFails = 1 } = options;
  await writeFile(file, configuration({ folder, port, log, apiPorts, server, maxFails }));
  const child = spawn(await findNginx(), ['-c', file, '-p', folder], { stdio: ['ignore', 'ignore', 'pipe'] });
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const exited = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const url = `http://127.0.0.1:${port}`;
  await waitFor(async () => child.exitCode !== null || (await fetch(`${url}/livez`)).status > 0, { message: 'nginx' });
  if (child.exitCode !== null) throw new Error(`nginx ended:\n${output}`);
  return {
    url,
    port,
    requests: async () => (await readFile(log, 'utf8')).split('\n').flatMap(readLine),
    stop: async () => {
      child.kill('SIGTERM');
      await exited;
    },
  };
}

type Configured = { folder: string; port: number; log: string; apiPorts: number[]; server: string; maxFails: number };

function configuration(at: Configured): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  return `
daemon off;
worker_processes 1;
worker_rlimit_nofile 65536;
pid ${at.folder}/nginx.pid;
error_log stderr warn;
events { worker_connections 16384; }
http {
  ${temporary.map((kind) => `${kind}_temp_path ${at.folder}/${kind};`).join('\n  ')}
  include ${RULES}/http.conf;
  access_log ${at.log} flotilla;
  upstream flotilla_api {
    zone flotilla_api 128k;
    ${at.apiPorts.map((port) => `server 127.0.0.1:${port} max_fails=${at.maxFails} fail_timeout=2s;`).join('\n    ')}
    include ${RULES}/upstream.conf;
  }
  server {
    listen 127.0.0.1:${at.port};
    ${at.server}
    include ${RULES}/locations.conf;
  }
}
`;
}

function readLine(line: string): NginxRequest[] {
  if (line === '') return [];
  const entry = JSON.parse(line) as { method: string; path: string; status: string; upstream_status: string };
  const tried = entry.upstream_status.match(/\d+/g) ?? [];
  return [{ method: entry.method, path: entry.path, status: Number(entry.status), tried: tried.map(Number) }];
}

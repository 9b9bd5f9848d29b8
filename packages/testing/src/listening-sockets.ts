import { readdir, readFile, readlink } from 'node:fs/promises';

/** A TCP port on which a process listens; `loopback` is true when only this machine can reach it. */
export type ListeningSocket = { pid: number; program: string; port: number; loopback: boolean };

const LISTEN = '0A';
const LOOPBACK_V4 = /^[0-9A-F]{6}7F$/;
const LOOPBACK_V6 = '00000000000000000000000001000000';

/** Lists the TCP ports on which these processes listen. Reads Linux's /proc. */
export async function listeningSockets(pids: number[]): Promise<ListeningSocket[]> {
  const tables = await Promise.all(
    ['tcp', 'tcp6'].map((table) => readFile(`/proc/net/${table}`, 'utf8').catch(() => '')),
  );
  const rows = tables.flatMap((table) => table.trim().split('\n').slice(1));
  const listening = rows.map((row) => row.trim().split(/\s+/)).filter((columns) => columns[3] === LISTEN);
  const found = await Promise.all(
    pids.map(async (pid) => {
      const inodes = await socketsOf(pid);
      const program = (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).replaceAll('\0', ' ');
      return listening
        .filter((columns) => inodes.has(columns[9]!))
        .map((columns) => {
          const [address = '', port = ''] = columns[1]!.split(':');
          const loopback = address === LOOPBACK_V6 || LOOPBACK_V4.test(address);
          return { pid, program, port: Number.parseInt(port, 16), loopback };
        });
    }),
  );
  return found.flat();
}

async function socketsOf(pid: number): Promise<Set<string>> {
  const folder = `/proc/${pid}/fd`;
  const links = (await readdir(folder).catch(() => [])).map((name) => readlink(`${folder}/${name}`).catch(() => ''));
  const inodes = (await Promise.all(links)).map((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1]);
  return new Set(inodes.filter((inode) => inode !== undefined));
}

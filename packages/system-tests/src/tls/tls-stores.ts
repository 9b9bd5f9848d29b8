import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { inheritedEnv } from '@flotilla/runtime/env.ts';
import { programEntry } from '@flotilla/runtime/program-entry.ts';
import { FLEET_ENCRYPTION_KEY } from '@flotilla/testing/fleet/fleet.ts';
import { startProcess } from '@flotilla/testing/fleet/fleet-process.ts';
import { startTlsPostgres } from '@flotilla/testing/postgres-tls.ts';
import { startTestRedisCluster } from '@flotilla/testing/redis-cluster.ts';
import { startTestRedisSentinel } from '@flotilla/testing/redis-sentinel.ts';
import { startRedisServer } from '@flotilla/testing/redis-server.ts';
import type { ReplicatedRedis } from '@flotilla/testing/replicated-redis.ts';
import { startTlsAuthority, type TlsFiles } from '@flotilla/testing/tls-authority.ts';

/** A busy machine also keeps servers silent; only a killed one may be replaced. */
const SILENT_MS = 5_000;
const PASSWORD = 'a-password-of-redis';

export type TlsRedis = Pick<ReplicatedRedis, 'url' | 'port' | 'masters' | 'servers' | 'stop'>;

/** A migrated Postgres and Redis servers, all with a certificate for localhost and for no IP address. */
export type TlsStores = {
  /** Certificate files of the authority that issued the certificates, and of another one. */
  caFile: string;
  otherCaFile: string;
  certificate: TlsFiles;
  /** A certificate for the same name, issued by the other authority. */
  strangeCertificate: TlsFiles;
  databaseUrl(given?: { host?: string; options?: string }): string;
  startRedis: Record<'one server' | 'a Sentinel set' | 'a cluster', () => Promise<TlsRedis>>;
  stop(): Promise<void>;
};

export async function startTlsStores(): Promise<TlsStores> {
  const [authority, other] = await Promise.all([startTlsAuthority(), startTlsAuthority()]);
  const certificate = await authority.issue('DNS:localhost');
  const postgres = await startTlsPostgres(certificate);
  const databaseUrl: TlsStores['databaseUrl'] = ({ host = 'localhost', options = '' } = {}) =>
    `${Object.assign(new URL(postgres.url), { hostname: host }).href}?sslmode=verify-full${options}`;
  const env = { PATH: inheritedEnv().PATH, DATABASE_URL: databaseUrl(), NODE_EXTRA_CA_CERTS: authority.caFile };
  await promisify(execFile)(process.execPath, [programEntry('migrate')], { env });
  return {
    caFile: authority.caFile,
    otherCaFile: other.caFile,
    certificate,
    strangeCertificate: await other.issue('DNS:localhost'),
    databaseUrl,
    startRedis: {
      'one server': () => startSingle(certificate),
      'a Sentinel set': () => startTestRedisSentinel({ tls: certificate, silentMs: SILENT_MS }),
      'a cluster': () => startTestRedisCluster({ replicas: true, tls: certificate, silentMs: SILENT_MS }),
    },
    stop: postgres.stop,
  };
}

async function startSingle(certificate: TlsFiles): Promise<TlsRedis> {
  const server = await startRedisServer({ requirepass: PASSWORD }, certificate);
  const servers = () => (server.alive() ? [server] : []);
  const masters = async () => servers();
  return {
    url: `rediss://:${PASSWORD}@localhost:${server.port}`,
    port: server.port,
    masters,
    servers,
    stop: server.stop,
  };
}

/** Returns why a worker did not start: the message of its fatal log line, or all its output if there is none. */
export async function whyNotStarted(settings: Record<string, string>): Promise<string> {
  const output = await startProcess('worker', { ENCRYPTION_KEY: FLEET_ENCRYPTION_KEY, ...settings }).then(
    async (started) => {
      await started.kill();
      return 'it started';
    },
    (error: Error) => error.message,
  );
  if (output.includes(PASSWORD)) throw new Error('A password was logged.');
  const fatal = output.split('\n').filter((line) => line.includes('"msg":"could not start"'));
  return fatal.length === 1 ? (JSON.parse(fatal[0]!) as { err: { message: string } }).err.message : output;
}

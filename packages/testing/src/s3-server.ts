import { fork } from 'node:child_process';
import { once } from 'node:events';
import S3rver from '@20minutes/s3rver';

/** A server with the interface of S3, which knows one access key. */
export interface S3Server {
  url: string;
  accessKeyId: string;
  secretAccessKey: string;
  stop(): Promise<void>;
}

/** The only key pair that this server knows. */
const KEY = 'S3RVER';

/** Keeps its objects in a directory, and has one bucket. It is a process of its own, because it catches the errors of its process. */
export async function startS3Server(directory: string, bucket: string): Promise<S3Server> {
  const child = fork(import.meta.filename, [directory, bucket]);
  const [port] = (await once(child, 'message')) as [number];
  return {
    url: `http://127.0.0.1:${port}`,
    accessKeyId: KEY,
    secretAccessKey: KEY,
    stop: async () => {
      const ended = once(child, 'exit');
      child.kill();
      await ended;
    },
  };
}

async function serve(directory: string, bucket: string): Promise<void> {
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory,
    // It leaves the last slash of a bucket's path out of what it signs, so it would refuse every listing.
    allowMismatchedSignatures: true,
    configureBuckets: [{ name: bucket, configs: [] }],
  });
  const { port } = await server.run();
  process.send?.(port);
  process.on('disconnect', () => process.exit());
}

if (import.meta.main) await serve(process.argv[2]!, process.argv[3]!);

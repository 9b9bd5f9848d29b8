import { setTimeout as delay } from 'node:timers/promises';
import type { RedisOptions } from 'ioredis';
import { SentinelConnector, StandaloneConnector } from 'ioredis/built/connectors/index.js';
import { isFreshPassword } from './fresh-password.ts';

type Connector = NonNullable<RedisOptions['Connector']>;
type Emit = Parameters<StandaloneConnector['connect']>[0];
type Stream = Awaited<ReturnType<StandaloneConnector['connect']>>;

class ToServer extends StandaloneConnector {
  override async connect(emit: Emit): Promise<Stream> {
    this.connecting = true;
    const attempt = { emit, isWanted: () => this.connecting, connect: () => super.connect(emit) };
    const stream = writingTogether(hearingAllErrors(await connectWithPassword(this.options, attempt)));
    return stream.once('close', () => forget(this, this.stream === stream));
  }
}

class ToPrimary extends SentinelConnector {
  override async connect(emit: Emit): Promise<Stream> {
    this.connecting = true;
    const attempt = { emit, isWanted: () => this.connecting, connect: () => super.connect(emit) };
    const stream = writingTogether(hearingAllErrors(await connectWithPassword(this.options, attempt)));
    return stream.once('close', () => forget(this, this.stream === stream));
  }
}

/** Connects to a server itself. */
export const toServer = ToServer as Connector;
/** Asks Sentinels for the primary and connects to it. */
export const toPrimary = ToPrimary as Connector;

/** Connects to the node of a cluster that `choose` names, each time anew. */
export function toNode(choose: () => Pick<RedisOptions, 'host' | 'port'>): Connector {
  return class extends ToServer {
    override connect(emit: Emit): Promise<Stream> {
      Object.assign(this.options, choose());
      return super.connect(emit);
    }
  } as Connector;
}

type Attempt = { emit: Emit; isWanted: () => boolean; connect: () => Promise<Stream> };

/**
 * Connects once a fresh password was read, if the connection has one. A client whose connector rejects gives up for ever, so
 * the password is read again at the client's own pace. Rejects if the client is closed meanwhile, or was to try only once.
 */
async function connectWithPassword(options: object, { emit, isWanted, connect }: Attempt): Promise<Stream> {
  const { password, retryStrategy } = options as Pick<RedisOptions, 'retryStrategy'> & { password?: unknown };
  if (!isFreshPassword(password)) return connect();
  for (let tries = 1; ; tries += 1) {
    const failure = await password.renew().then(
      () => null,
      (error: Error) => error,
    );
    if (!isWanted()) throw new Error('Connection is closed.');
    if (failure === null) return connect();
    const pauseMs = retryStrategy?.(tries);
    if (typeof pauseMs !== 'number') throw failure;
    emit('error', failure);
    await delay(pauseMs);
  }
}

/**
 * The client waits 2 s for a stream to close (ioredis 6.0.0). For a stream that is closed already, this timer would
 * keep the process alive.
 */
function forget(connector: object, isLatest: boolean): void {
  if (isLatest) Object.assign(connector, { stream: null });
}

/**
 * The client listens only to a socket's first error (ioredis 6.0.0). TLS that breaks may raise two: what was read is no
 * TLS, and a pending write fails too. Without a listener the second one would end the process.
 */
function hearingAllErrors(stream: Stream): Stream {
  return stream.on('error', () => {});
}

/**
 * Sends the commands of one pass of the event loop together. Each write costs a system call here, and the server stores
 * what it reads at once in one step.
 */
function writingTogether(stream: Stream): Stream {
  const write: Stream['write'] = stream.write.bind(stream);
  stream.write = ((...args: Parameters<Stream['write']>) => {
    if (stream.writableCorked === 0) {
      stream.cork();
      setImmediate(() => stream.uncork());
    }
    return write(...args);
  }) as Stream['write'];
  return stream;
}

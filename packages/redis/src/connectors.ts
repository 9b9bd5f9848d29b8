import type { RedisOptions } from 'ioredis';
import { SentinelConnector, StandaloneConnector } from 'ioredis/built/connectors/index.js';

type Connector = NonNullable<RedisOptions['Connector']>;
type Emit = Parameters<StandaloneConnector['connect']>[0];
type Stream = Awaited<ReturnType<StandaloneConnector['connect']>>;

class ToServer extends StandaloneConnector {
  override async connect(emit: Emit): Promise<Stream> {
    const stream = hearingAllErrors(await super.connect(emit));
    return stream.once('close', () => forget(this, this.stream === stream));
  }
}

class ToPrimary extends SentinelConnector {
  override async connect(emit: Emit): Promise<Stream> {
    const stream = hearingAllErrors(await super.connect(emit));
    return stream.once('close', () => forget(this, this.stream === stream));
  }
}

/** Connects to a server itself. */
export const toServer = ToServer as Connector;
/** Asks Sentinels for the primary and connects to it. */
export const toPrimary = ToPrimary as Connector;

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

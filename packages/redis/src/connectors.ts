import type { RedisOptions } from 'ioredis';
import { SentinelConnector, StandaloneConnector } from 'ioredis/built/connectors/index.js';

type Connector = NonNullable<RedisOptions['Connector']>;
type Emit = Parameters<StandaloneConnector['connect']>[0];
type Stream = Awaited<ReturnType<StandaloneConnector['connect']>>;

class ToServer extends StandaloneConnector {
  override async connect(emit: Emit): Promise<Stream> {
    return hearingAllErrors(await super.connect(emit));
  }
}

class ToPrimary extends SentinelConnector {
  override async connect(emit: Emit): Promise<Stream> {
    return hearingAllErrors(await super.connect(emit));
  }
}

/** Connects to a server itself. */
export const toServer = ToServer as Connector;
/** Asks Sentinels for the primary and connects to it. */
export const toPrimary = ToPrimary as Connector;

/**
 * The client listens to a socket's first error only (ioredis 6.0.0). TLS that breaks may give two: what was read is no
 * TLS, and what is still being written fails too. Unheard, the second one would end the process.
 */
function hearingAllErrors(stream: Stream): Stream {
  return stream.on('error', () => {});
}

import type { Redis } from 'ioredis';

/**
 * When the connection for commands has found another primary, the others go there as well: in a planned failover the old one stays up,
 * and whoever waits there for a reply or a message gets no error.
 */
export function followPrimary(commands: Redis, others: () => Redis[]): void {
  commands.on('ready', () => {
    const primary = addressOf(commands);
    for (const other of others()) {
      if (other.status === 'ready' && addressOf(other) !== primary) other.disconnect(true);
    }
  });
}

function addressOf({ stream }: Redis): string {
  const { remoteAddress, remotePort } = stream as { remoteAddress?: string; remotePort?: number };
  return `${remoteAddress} ${remotePort}`;
}

import { FlotillaError } from '@flotilla/runtime/flotilla-error.ts';
import type { RedisTarget } from '@flotilla/runtime/redis-url.ts';
import { openSentinelOnce, type RedisClient } from './open-client.ts';

const READY_WITHIN_MS = 5000;
/** Errors that waiting does not mend: a login, a kind of server, a certificate, TLS where there is none. */
const LASTING =
  /WRONGPASS|NOAUTH|NOPERM|cluster support disabled|certificate|altnames|wrong version number|packet length too long/;
/** An error that follows from an earlier cause. */
const CONSEQUENCE = /Connection is closed/;

/** Rejects with the reason when the client is not ready within 5 s, or sooner when waiting would not help. */
export function untilReady(client: RedisClient, target: RedisTarget): Promise<void> {
  if (client.status === 'ready') return Promise.resolve();
  let reason = '';
  let asked = false;
  const note = (error: Error) => {
    if (reason === '' || !CONSEQUENCE.test(reasonOf(error))) reason = reasonOf(error);
  };
  let failed: (error: Error) => void = () => {};
  let timer: NodeJS.Timeout | undefined;
  return new Promise<void>((resolve, reject) => {
    failed = (error) => {
      note(error);
      if (LASTING.test(reason)) reject(new Error(`Redis refuses this REDIS_URL: ${reason}`));
      if (target.form === 'sentinel' && !asked) askSentinels(target, note);
      asked = true;
    };
    timer = setTimeout(() => {
      const said = `${reason || 'silence'}${hint(target, reason)}`;
      reject(new FlotillaError('unavailable', `Redis did not answer within ${READY_WITHIN_MS / 1000} s: ${said}`));
    }, READY_WITHIN_MS);
    // One node or Sentinel may fail while others serve. Its error is the reason only when none serves.
    client.on('error', failed).on('node error', note).once('ready', resolve);
  }).finally(() => {
    clearTimeout(timer);
    client.off('error', failed).off('node error', note);
  });
}

/** The error in one line. A cluster names its cause only in the error of its last node. */
export function reasonOf(error: Error & { lastNodeError?: Error }): string {
  const { message, lastNodeError } = error;
  return `${message} ${lastNodeError?.message ?? ''}`.replace(/\s+/g, ' ').trim();
}

function hint(target: RedisTarget, reason: string): string {
  if (target.tls && reason === '') return '; does it speak TLS on this port?';
  if (!target.tls && /ECONNRESET/.test(reason)) return '; for TLS the URL begins with rediss';
  return target.form === 'sentinel' ? `; do the Sentinels watch "${target.primary}"?` : '';
}

/** Asks each Sentinel for the cause, because the client says only that none could be reached. */
function askSentinels(target: RedisTarget & { form: 'sentinel' }, note: (error: Error) => void): void {
  for (const address of target.sentinels) {
    const sentinel = openSentinelOnce(target, address).on('error', note);
    // A Sentinel reports a missing login only in the reply to a command.
    sentinel
      .call('sentinel', 'get-master-addr-by-name', target.primary)
      .catch(note)
      .finally(() => sentinel.disconnect());
  }
}

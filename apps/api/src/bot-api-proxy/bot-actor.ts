import type { Actor } from '@flotilla/domain/audit/actor.ts';
import type { MethodCall, RunningProxy } from './running-proxy.ts';

/** Who makes a proxied call, for the audit log: whoever has the token is the bot, and only the address tells them apart. */
export function botActor({ deps }: RunningProxy, { req }: Pick<MethodCall, 'req'>): Extract<Actor, { kind: 'bot' }> {
  return { kind: 'bot', address: deps.clientAddress(req) };
}

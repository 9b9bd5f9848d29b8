import type { accountResource } from '@flotilla/contract/accounts.ts';
import type { apiKeyResource } from '@flotilla/contract/api-keys.ts';
import type { bot } from '@flotilla/contract/bots.ts';
import type { BroadcastAudience } from '@flotilla/contract/broadcast-audience.ts';
import type { broadcastResource } from '@flotilla/contract/broadcasts.ts';
import type { eventSink } from '@flotilla/contract/event-sinks.ts';
import type { ProgramFilter } from '@flotilla/contract/program-filters.ts';
import type { programTokenResource } from '@flotilla/contract/program-tokens.ts';
import type { program } from '@flotilla/contract/programs.ts';
import type { replyResource } from '@flotilla/contract/replies.ts';
import type { Changes, Resource } from '@flotilla/contract/resource.ts';
import type { routingRule } from '@flotilla/contract/routing-rules.ts';

type Settable<Of extends Resource> = keyof Changes<Of>;

/** The fields that somebody sets, as they are declared: the audit log names each of them. */
export type AuditedField =
  | Settable<typeof bot>
  | Settable<typeof program>
  | Settable<typeof programTokenResource>
  | Settable<typeof routingRule>
  | Settable<typeof eventSink>
  | Settable<typeof replyResource>
  | Settable<typeof broadcastResource>
  | Settable<typeof accountResource>
  | Settable<typeof apiKeyResource>
  | keyof ProgramFilter
  | keyof BroadcastAudience;

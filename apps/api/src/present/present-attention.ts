import { ATTENTION, type AttentionOfBot } from '@flotilla/contract/attention.ts';
import type { Attention } from '@flotilla/domain/fleet/bot-list/attention.ts';

export function presentAttention({
  kind,
  sinceMs,
  reader,
  program_id,
  waiting,
  text,
}: Attention & { text: string }): AttentionOfBot {
  return {
    kind,
    severity: ATTENTION[kind].severity,
    ...(sinceMs === null ? {} : { since: new Date(sinceMs).toISOString() }),
    ...(reader === null ? {} : { reader }),
    ...(program_id === null ? {} : { program_id }),
    ...(waiting === null ? {} : { waiting }),
    text,
  };
}

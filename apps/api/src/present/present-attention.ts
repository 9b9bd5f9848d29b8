import { ATTENTION, type AttentionOfBot } from '@flotilla/contract/attention.ts';
import type { Attention } from '@flotilla/domain/fleet/bot-list/attention.ts';

export function presentAttention({
  kind,
  sinceMs,
  reader,
  programId,
  waiting,
  text,
}: Attention & { text: string }): AttentionOfBot {
  return {
    kind,
    severity: ATTENTION[kind].severity,
    ...(sinceMs === null ? {} : { since: new Date(sinceMs).toISOString() }),
    ...(reader === null ? {} : { reader }),
    ...(programId === null ? {} : { program_id: programId }),
    ...(waiting === null ? {} : { waiting }),
    text,
  };
}

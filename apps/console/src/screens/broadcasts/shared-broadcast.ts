import type { BroadcastResource } from '@flotilla/contract/broadcasts.ts';
import { CallError, call, callTagged } from '../../call.ts';
import { isAbout, type Shared } from '../../parts/shared-change.ts';
import type { BroadcastsWords } from './broadcasts-words.ts';
import type { BroadcastInput, Draft } from './draft.ts';
import { draftOfBroadcast } from './draft-of-broadcast.ts';

const AUDIENCE = [
  ...['by', 'types', 'tags', 'languages', 'list', 'failures', 'ids', 'active', 'since', 'exclude_blocked'],
] as const satisfies readonly (keyof Draft)[];

/** A broadcast that has not begun, which others may change, too. */
export function sharedBroadcast(id: number, { form }: BroadcastsWords): Shared<BroadcastResource, Draft> {
  return {
    read: () => callTagged('showBroadcast', { id }),
    draftOf(broadcast) {
      const draft = draftOfBroadcast(broadcast);
      if (draft === null) throw new CallError(412, { error: form.editByRest }, null);
      return draft;
    },
    names: {
      ...{ name: form.name, content: form.message, file: form.message, preview: form.preview, silent: form.silent },
      ...{ by: form.audience, types: form.audience, tags: form.audience, languages: form.audience },
      ...{ list: form.audience, failures: form.audience, ids: form.audience, active: form.audience },
      ...{ since: form.audience, exclude_blocked: form.audience, per_second: form.perSecond },
      ...{ when: form.when, send_at: form.when },
    },
    together: [AUDIENCE, ['file', 'preview'], ['when', 'send_at']],
    audited: { action: 'broadcast_update', isOf: isAbout('broadcast', id) },
  };
}

/** A field that the form does not name is taken away. */
export function updateBroadcast(id: number, { bot_id: _, ...input }: BroadcastInput, ifMatch: string | undefined) {
  return call('updateBroadcast', { id, per_second: null, send_at: null, ...input }, undefined, { ifMatch });
}

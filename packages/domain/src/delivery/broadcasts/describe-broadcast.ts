import { describeNew } from '../../people/audit/describe-changes.ts';
import type { Broadcast } from './broadcast.ts';

/** For the audit log: which broadcast, and to whom. The text itself is in the broadcast. */
export function describeBroadcast({ id, name, method, audience, perSecond, sendAt }: Broadcast): string {
  const { chat_ids: ids, ...others } = audience;
  const fields = describeNew({
    ...{ name, method },
    ...(ids === undefined ? {} : { chat_ids: ids.length }),
    ...others,
    ...(perSecond === null ? {} : { per_second: perSecond }),
    ...(sendAt === null ? {} : { send_at: sendAt }),
  });
  return `broadcast ${id}; ${fields}`;
}

import type { Broadcast } from '@flotilla/contract/broadcasts.ts';
import { describeNew } from '../../people/audit/describe-changes.ts';

/** For the audit log: which broadcast, and to whom. The text itself is in the broadcast. */
export function describeBroadcast({ id, name, method, audience, per_second, send_at }: Broadcast): string {
  const { chat_ids: ids, ...others } = audience;
  const fields = describeNew({
    ...{ name, method },
    ...(ids === undefined ? {} : { chat_ids: ids.length }),
    ...others,
    ...(per_second === null ? {} : { per_second }),
    ...(send_at === null ? {} : { send_at }),
  });
  return `broadcast ${id}; ${fields}`;
}

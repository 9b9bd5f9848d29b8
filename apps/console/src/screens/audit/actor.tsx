import type { AuditEntryResource } from '@flotilla/contract/audit.ts';
import type { ReactNode } from 'react';
import { useWords } from '../../words/words.tsx';

/** Who acted, as the api names them. */
export function Actor({ entry }: { entry: AuditEntryResource }): ReactNode {
  const { audit: words } = useWords();
  const { actor_kind: kind, actor_username: username, actor_id: id } = entry;
  if (username === undefined && id === undefined) return <span className="muted">{words.nobody}</span>;
  return (
    <>
      <bdi>{username ?? `#${id}`}</bdi>
      {kind !== 'account' && <span className="muted"> · {words.kinds[kind]}</span>}
    </>
  );
}

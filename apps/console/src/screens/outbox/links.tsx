import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useBroadcastName } from '../broadcasts/use-broadcasts.ts';

export function BotLink({ id, name }: { id: number; name: string }): ReactNode {
  return (
    <Link to="/bots/$id" params={{ id: String(id) }} className="cut">
      <bdi>{name}</bdi>
    </Link>
  );
}

/** The broadcast of an entry. */
export function BroadcastLink({ id }: { id: number }): ReactNode {
  const name = useBroadcastName(String(id));
  return (
    <Link to="/broadcasts/$broadcast" params={{ broadcast: String(id) }} className="cut">
      <bdi>{name}</bdi>
    </Link>
  );
}

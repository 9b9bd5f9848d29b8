import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useBroadcastName } from '../broadcasts/use-broadcasts.ts';

/** The broadcast of an entry. */
export function BroadcastLink({ id }: { id: number }): ReactNode {
  const name = useBroadcastName(String(id));
  return (
    <Link to="/broadcasts/$broadcast" params={{ broadcast: String(id) }} className="cut">
      <bdi>{name}</bdi>
    </Link>
  );
}

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Live, LiveContext } from '../live.ts';
import { SESSION } from '../session.tsx';

/** Gives the page the live stream of its browser while somebody is signed in. */
export function LiveProvider({ children }: { children: ReactNode }): ReactNode {
  const queries = useQueryClient();
  const [live] = useState(() => new Live(() => void queries.invalidateQueries({ queryKey: SESSION })));
  const { data: account } = useQuery({ queryKey: SESSION, enabled: false });
  const isSignedIn = account != null;
  useEffect(() => {
    live.start();
    return () => live.stop();
  }, [live]);
  const wasSignedOut = useRef(false);
  useEffect(() => {
    if (isSignedIn && wasSignedOut.current) live.resume();
    wasSignedOut.current = !isSignedIn;
  }, [live, isSignedIn]);
  return <LiveContext value={live}>{children}</LiveContext>;
}

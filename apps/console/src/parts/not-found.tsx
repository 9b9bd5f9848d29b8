import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useWords } from '../words/words.tsx';
import { Empty } from './empty.tsx';

export function NotFound({ title, hint }: { title?: string; hint?: string }): ReactNode {
  const words = useWords();
  return (
    <Empty isPage title={title ?? words.errors.notFound} hint={hint ?? words.errors.notFoundHint}>
      <Link to="/" className="button plain">
        {words.errors.toFleet}
      </Link>
    </Empty>
  );
}

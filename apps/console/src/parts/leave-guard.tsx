import { useBlocker } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';

type GuardProps = { title: string; description: string; leave: string; stay: string };

/** While it is rendered, another screen is opened only after a question; the browser asks when the page is closed. */
export function LeaveGuard({ title, description, leave, stay }: GuardProps): ReactNode {
  const asked = useBlocker({
    shouldBlockFn: ({ current, next }) => current.pathname !== next.pathname,
    enableBeforeUnload: true,
    withResolver: true,
  });
  if (asked.status !== 'blocked') return null;
  return (
    <Dialog title={title} description={description} close={asked.reset} className="narrow">
      <div className="dialog-actions">
        <Button onClick={asked.proceed}>{leave}</Button>
        <Button kind="primary" onClick={asked.reset} autoFocus>
          {stay}
        </Button>
      </div>
    </Dialog>
  );
}

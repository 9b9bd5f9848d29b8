import type { ReactNode } from 'react';
import { useWords } from '../words/words.tsx';
import { Button } from './button.tsx';
import { CopyButton } from './copy-button.tsx';
import { Dialog } from './dialog.tsx';
import { LeaveGuard } from './leave-guard.tsx';
import './shown-once.css';

type OnceProps = {
  title: string;
  description: string;
  secret: string;
  close: () => void;
  /** Where to put it; then the dialog is wider. */
  children?: ReactNode;
};

/** A secret that nobody can look up later: only its button closes the dialog, and leaving the screen asks first. */
export function ShownOnce({ title, description, secret, close, children }: OnceProps): ReactNode {
  return (
    <Dialog title={title} description={description} className={children === undefined ? 'narrow' : ''}>
      <Secret text={secret} />
      {children}
      <KeptActions close={close} />
    </Dialog>
  );
}

/** The button that says a secret was kept; until then, leaving the screen asks first. */
export function KeptActions({ close }: { close: () => void }): ReactNode {
  const { once } = useWords();
  return (
    <>
      <div className="dialog-actions">
        <Button kind="primary" onClick={close}>
          {once.kept}
        </Button>
      </div>
      <LeaveGuard title={once.leaveTitle} description={once.leaveHint} leave={once.leave} stay={once.stay} />
    </>
  );
}

/** A secret as text, with a button that copies it. */
export function Secret({ text, copyLabel }: { text: string; copyLabel?: string }): ReactNode {
  return (
    <div className="secret-line">
      <code className="secret">{text}</code>
      <CopyButton text={text} {...(copyLabel === undefined ? {} : { label: copyLabel })} />
    </div>
  );
}

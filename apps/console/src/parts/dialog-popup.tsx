import { Dialog as Base } from '@base-ui/react/dialog';
import type { ReactNode } from 'react';
import { useWords } from '../words/words.tsx';
import { Icon } from './icon.tsx';

export type DialogProps = {
  title: string;
  description?: string;
  /** Absent: it cannot be closed. */
  close?: () => void;
  children: ReactNode;
  className?: string;
};

export function DialogPopup({ title, description, close, children, className = '' }: DialogProps): ReactNode {
  const words = useWords();
  return (
    <Base.Root open onOpenChange={(open) => !open && close?.()}>
      <Base.Portal>
        <Base.Backdrop className="backdrop" />
        <Base.Popup className={`dialog ${className}`}>
          <header>
            <Base.Title>{title}</Base.Title>
            {close && (
              <Base.Close className="button quiet icon-only" aria-label={words.close}>
                <Icon name="close" />
              </Base.Close>
            )}
          </header>
          {description && <Base.Description>{description}</Base.Description>}
          {children}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

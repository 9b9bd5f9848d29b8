import { type MouseEvent, type ReactNode, useId, useLayoutEffect, useRef, useState } from 'react';
import { createPortal } from 'react-dom';
import { useWords } from '../words/words.tsx';
import { Icon } from './icon.tsx';

type DialogProps = {
  title: string;
  description?: string;
  /** Absent: it cannot be closed. */
  close?: () => void;
  children: ReactNode;
  className?: string;
  /** Something was typed in it: a press beside it does not close it. */
  isDirty?: boolean;
};

/** Lies over the page while it is rendered, and keeps the focus; Escape and a press beside it close it. */
export function Dialog({
  title,
  description,
  close,
  children,
  className = '',
  isDirty = false,
}: DialogProps): ReactNode {
  const words = useWords();
  const id = useId();
  const box = useModal();
  const pressedBeside = useRef(false);
  return createPortal(
    <dialog
      ref={box}
      // Shown before it is modal, so that a field with autoFocus can have the focus.
      open
      className={`dialog ${className}`}
      aria-labelledby={`${id}-title`}
      aria-describedby={description && `${id}-text`}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.defaultPrevented) return;
        event.preventDefault();
        close?.();
      }}
      // In React's tree, what opened it may lie in another form.
      onSubmit={(event) => event.stopPropagation()}
      onCancel={(event) => {
        event.preventDefault();
        close?.();
      }}
      onPointerDown={(event) => {
        pressedBeside.current = isBeside(event);
      }}
      onClick={(event) => !isDirty && pressedBeside.current && isBeside(event) && close?.()}
    >
      <header>
        <h2 id={`${id}-title`}>{title}</h2>
        {close && (
          <button type="button" className="button quiet icon-only" aria-label={words.close} onClick={close}>
            <Icon name="close" />
          </button>
        )}
      </header>
      {description && <p id={`${id}-text`}>{description}</p>}
      {children}
    </dialog>,
    document.body,
  );
}

/** Makes a shown dialog modal, and gives the focus back when it is gone. */
function useModal() {
  const box = useRef<HTMLDialogElement>(null);
  const [opener] = useState(() => document.activeElement);
  useLayoutEffect(() => {
    const dialog = box.current!;
    const wanted = dialog.contains(document.activeElement) ? document.activeElement : null;
    dialog.open = false;
    dialog.showModal();
    if (wanted instanceof HTMLElement) wanted.focus();
    return () => {
      dialog.close();
      const back = opener?.isConnected ? opener : document.getElementById('content');
      if (back instanceof HTMLElement) back.focus();
    };
  }, [opener]);
  return box;
}

/** True if the pointer is on what the dialog covers. */
function isBeside({ target, currentTarget, clientX: x, clientY: y }: MouseEvent): boolean {
  if (target !== currentTarget) return false;
  const { left, right, top, bottom } = currentTarget.getBoundingClientRect();
  return x < left || x > right || y < top || y > bottom;
}

import { createContext, type ReactNode, use, useCallback, useEffect, useState } from 'react';
import { useWords } from '../words/words.tsx';
import { Button } from './button.tsx';
import './undo-toast.css';

const SHOWN_MS = 8_000;

export type Toast = {
  text: string;
  /** Takes it back; absent where that is not possible. */
  undo?: () => Promise<unknown> | undefined;
};
type Shown = Toast & { at: number };

const ToastContext = createContext<(toast: Toast) => void>(() => {});

/** Tells what somebody has just done, for eight seconds, with a button that takes it back. */
export const useToast = (): ((toast: Toast) => void) => use(ToastContext);

/** Shows the newest toast over the page; the time stands still while it has the pointer or the focus. */
export function ToastProvider({ children }: { children: ReactNode }): ReactNode {
  const [shown, setShown] = useState<Shown | null>(null);
  const show = useCallback((toast: Toast) => setShown({ ...toast, at: performance.now() }), []);
  const close = useCallback(() => setShown(null), []);
  return (
    <ToastContext value={show}>
      {children}
      <div className="toasts" role="status" aria-live="polite">
        {shown && <ToastView key={shown.at} toast={shown} close={close} />}
      </div>
    </ToastContext>
  );
}

function ToastView({ toast: { text, undo }, close }: { toast: Toast; close: () => void }): ReactNode {
  const words = useWords();
  const [isHeld, setHeld] = useState(false);
  const [state, setState] = useState<'shown' | 'undoing' | 'failed'>('shown');
  useEffect(() => {
    if (isHeld || state === 'undoing') return;
    const timer = setTimeout(close, SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isHeld, state, close]);
  const takeBack = async () => {
    setState('undoing');
    try {
      await undo?.();
      close();
    } catch {
      setState('failed');
    }
  };
  const hold = { onPointerEnter: () => setHeld(true), onFocus: () => setHeld(true) };
  const letGo = { onPointerLeave: () => setHeld(false), onBlur: () => setHeld(false) };
  return (
    <div className="toast" {...hold} {...letGo}>
      <span>{state === 'failed' ? words.toast.failed : text}</span>
      {undo && state !== 'failed' && (
        <Button kind="quiet" busy={state === 'undoing'} onClick={() => void takeBack()}>
          {words.toast.undo}
        </Button>
      )}
      <Button kind="quiet" onClick={close}>
        {words.close}
      </Button>
    </div>
  );
}

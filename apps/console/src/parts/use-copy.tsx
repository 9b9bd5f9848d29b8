import { type ReactNode, useState } from 'react';
import { useWords } from '../words/words.tsx';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { TextArea } from './field.tsx';

const MOST_ROWS = 12;

type Copying = {
  /** True once the text is in the clipboard; else the dialog shows it. */
  copy(text: string): Promise<boolean>;
  /** Must be rendered. */
  dialog: ReactNode;
};

/** Copies a text. Where the browser does not let the page, as without TLS, a dialog has the text selected instead. */
export function useCopy(): Copying {
  const [refused, setRefused] = useState<string | null>(null);
  const copy = async (text: string) => {
    try {
      // Absent without a safe connection, which is refused alike.
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      setRefused(text);
      return false;
    }
  };
  const dialog = refused !== null && <CopyByHand text={refused} close={() => setRefused(null)} />;
  return { copy, dialog };
}

function CopyByHand({ text, close }: { text: string; close: () => void }): ReactNode {
  const words = useWords();
  return (
    <Dialog title={words.copyByHand.title} description={words.copyByHand.hint} close={close}>
      <TextArea
        label={words.copyByHand.text}
        className="code"
        dir="auto"
        readOnly
        autoFocus
        rows={Math.min(MOST_ROWS, text.split('\n').length + 1)}
        value={text}
        onFocus={({ currentTarget }) => currentTarget.select()}
      />
      <div className="dialog-actions">
        <Button onClick={close}>{words.close}</Button>
      </div>
    </Dialog>
  );
}

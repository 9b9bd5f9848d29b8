import { type DragEvent, type ReactNode, useState } from 'react';
import { useOutbox } from '../../../outbox.tsx';
import { Icon } from '../../../parts/icon.tsx';
import { useWords } from '../../../words/words.tsx';
import type { ChatId } from '../chat/use-window.ts';

type DropProps = {
  /** Null: nothing can be sent. */
  chat: ChatId | null;
  label: string;
  children: ReactNode;
};

/** The chat as a place for files, which lie in the field for the next message then. */
export function DropArea({ chat, label, children }: DropProps): ReactNode {
  const { inbox: words } = useWords();
  const outbox = useOutbox();
  const [isOver, setOver] = useState(false);
  const hasFiles = ({ dataTransfer }: DragEvent) => chat !== null && dataTransfer.types.includes('Files');
  return (
    <section
      className="chat"
      aria-label={label}
      onDragOver={(event) => {
        if (!hasFiles(event)) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={({ currentTarget, relatedTarget }) => {
        if (!currentTarget.contains(relatedTarget as Node | null)) setOver(false);
      }}
      onDrop={(event) => {
        if (chat === null || !hasFiles(event)) return;
        event.preventDefault();
        setOver(false);
        outbox.attach(chat, [...event.dataTransfer.files]);
      }}
    >
      {children}
      {isOver && (
        <p className="drop-here">
          <Icon name="attach" /> {words.dropHere}
        </p>
      )}
    </section>
  );
}

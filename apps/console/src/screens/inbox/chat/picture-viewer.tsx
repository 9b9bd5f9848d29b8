import type { MessageResource as Message } from '@flotilla/contract/messages.ts';
import type { KeyboardEvent, ReactNode } from 'react';
import { Button } from '../../../parts/button.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { Icon } from '../../../parts/icon.tsx';
import { nameOf } from '../../../parts/person-name.ts';
import { useWords } from '../../../words/words.tsx';
import { fileUrl, lookOf, pictureName } from './files.ts';
import { keyOf } from './message-window.ts';
import { useMessageTimes } from './times.ts';
import './picture-viewer.css';

type ViewerProps = {
  /** The loaded messages of the chat. */
  messages: readonly Message[];
  shown: Message;
  show: (message: Message) => void;
  close: () => void;
};

/** A picture of the chat, as large as the window allows, and the way to those beside it. */
export function PictureViewer({ messages, shown, show, close }: ViewerProps): ReactNode {
  const { inbox: words } = useWords();
  const { exactOf } = useMessageTimes();
  const pictures = messages.filter(isPicture);
  const at = pictures.findIndex((one) => keyOf(one) === keyOf(shown));
  const [before, after] = [pictures[at - 1], at < 0 ? undefined : pictures[at + 1]];
  const steer = (event: KeyboardEvent) => {
    const isRightToLeft = document.documentElement.dir === 'rtl';
    const forward = isRightToLeft ? 'ArrowLeft' : 'ArrowRight';
    const back = isRightToLeft ? 'ArrowRight' : 'ArrowLeft';
    const to = { [forward]: after, [back]: before }[event.key];
    if (to !== undefined) show(to);
  };
  const kind = words.media[shown.media_type ?? 'photo'];
  return (
    <Dialog title={nameOf(shown) || kind} close={close} className="viewer">
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the keys of its buttons, wherever the focus is in it */}
      <div className="viewer-body" onKeyDown={steer}>
        <div className="viewer-frame">
          <img src={fileUrl(shown)} alt={pictureName(shown, kind)} />
        </div>
        <footer className="viewer-foot">
          <Button
            aria-label={words.pictureBefore}
            className="icon-only"
            // A button that is disabled loses the focus, and its keys with it.
            aria-disabled={before === undefined || undefined}
            onClick={() => before && show(before)}
          >
            <Icon name="back" />
          </Button>
          <p className="viewer-facts">
            {shown.text && <bdi className="cut">{shown.text}</bdi>}
            <span className="muted">
              {exactOf(shown.date)}
              {at >= 0 && pictures.length > 1 && ` · ${words.pictureOf(at + 1, pictures.length)}`}
            </span>
          </p>
          <a href={fileUrl(shown)} target="_blank" rel="noopener noreferrer">
            {words.openOriginal}
          </a>
          <Button
            aria-label={words.pictureAfter}
            className="icon-only forward"
            autoFocus
            aria-disabled={after === undefined || undefined}
            onClick={() => after && show(after)}
          >
            <Icon name="back" />
          </Button>
        </footer>
      </div>
    </Dialog>
  );
}

function isPicture(message: Message): boolean {
  return message.file_id !== undefined && lookOf(message) === 'picture';
}

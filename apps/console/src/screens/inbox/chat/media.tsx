import type { MessageResource as Message } from '@flotilla/contract/messages.ts';
import { type ReactNode, useState } from 'react';
import { Icon } from '../../../parts/icon.tsx';
import { useNumber } from '../../../parts/time.tsx';
import { useWords } from '../../../words/words.tsx';
import { useChatActions } from './chat-actions.ts';
import { clockOf, fileUrl, isTooLarge, type Look, lookOf, pictureName, roomOf, sizeOf } from './files.ts';
import { MovingSticker } from './moving-sticker.tsx';
import { Player, RoundVideo, Sound } from './players.tsx';
import './media.css';

/** The file of a message: it is shown or played in its place, or else downloaded. */
export function Media({ message }: { message: Message }): ReactNode {
  const [broken, setBroken] = useState(false);
  if (message.file_id === undefined || message.media_type === undefined) return null;
  const failed = () => setBroken(true);
  const look = broken ? 'file' : lookOf(message);
  return LOOKS[look](message, failed);
}

type Shown = (message: Message, failed: () => void) => ReactNode;

const LOOKS: Record<Look, Shown> = {
  picture: (message, failed) => <Picture message={message} failed={failed} />,
  sticker: (message, failed) => <Sticker message={message} failed={failed} />,
  moving: (message, failed) => <MovingSticker message={message} failed={failed} />,
  video: (message, failed) => <Player message={message} failed={failed} />,
  loop: (message, failed) => <Player message={message} failed={failed} loops />,
  round: (message, failed) => <RoundVideo message={message} failed={failed} />,
  sound: (message, failed) => <Sound message={message} failed={failed} />,
  file: (message) => <Download message={message} />,
};

type MediaProps = { message: Message; failed: () => void };

/** A picture, which opens large. */
function Picture({ message, failed }: MediaProps): ReactNode {
  const { inbox: words } = useWords();
  const { showPicture } = useChatActions();
  const { media_type: type = 'photo' } = message;
  return (
    <button
      type="button"
      className={`picture ${type}`}
      aria-label={words.openPicture(pictureName(message, words.media[type]))}
      onClick={() => showPicture(message)}
    >
      <img
        src={fileUrl(message)}
        alt=""
        loading="lazy"
        decoding="async"
        className="sized"
        style={roomOf(message)}
        onError={failed}
      />
    </button>
  );
}

function Sticker({ message, failed }: MediaProps): ReactNode {
  const { inbox: words } = useWords();
  return (
    <span className="picture sticker">
      <img
        src={fileUrl(message)}
        alt={pictureName({ text: message.emoji }, words.media.sticker)}
        loading="lazy"
        decoding="async"
        className="sized"
        style={roomOf(message)}
        onError={failed}
      />
    </span>
  );
}

function Download({ message }: { message: Message }): ReactNode {
  const { inbox: words } = useWords();
  const number = useNumber();
  const { media_type: type = 'document', file_name: name, file_size: size = 0, duration } = message;
  const facts = [
    ...(name === undefined ? [] : [words.media[type]]),
    ...(duration === undefined ? [] : [clockOf(duration)]),
    ...(size === 0 ? [] : [sizeOf(size, number, words.bytes)]),
    ...(isTooLarge(message) ? [words.tooLarge] : []),
  ].join(' · ');
  const face = (
    <>
      <Icon name="download" />
      <span>
        <bdi className="file-name">{name ?? words.media[type]}</bdi>
        {facts && <small className="muted">{facts}</small>}
      </span>
    </>
  );
  if (isTooLarge(message)) return <span className="file">{face}</span>;
  return (
    <a href={fileUrl(message)} download={name ?? ''} className="file">
      {face}
    </a>
  );
}

import type { MessageResource as Message } from '@flotilla/contract/messages.ts';
import { type ReactNode, useRef, useState } from 'react';
import { Icon } from '../../../parts/icon.tsx';
import { useMedia } from '../../../parts/media.ts';
import { useWords } from '../../../words/words.tsx';
import { clockOf, fileUrl, pictureName, posterUrl, REDUCED_MOTION, roomOf } from './files.ts';

type PlayerProps = { message: Message; failed: () => void };

/** A silent loop begins by itself if it is no larger. */
const LARGEST_LOOP_BYTES = 4 * 1024 * 1024;

/** A video; one that `loops` is silent, and begins by itself where nothing speaks against it. */
export function Player({ message, failed, loops = false }: PlayerProps & { loops?: boolean }): ReactNode {
  const { inbox: words } = useWords();
  const isStill = useMedia(REDUCED_MOTION);
  const { media_type: type = 'video', text, file_size: size = 0 } = message;
  const begins = loops && !isStill && size <= LARGEST_LOOP_BYTES;
  return (
    <video
      className={`video sized ${type}`}
      src={fileUrl(message)}
      poster={posterUrl(message)}
      aria-label={pictureName({ text }, words.media[type])}
      controls
      playsInline
      loop={loops}
      muted={loops}
      autoPlay={begins}
      // Nothing is fetched from the platform before somebody wants it.
      preload={begins ? 'auto' : 'none'}
      style={roomOf(message)}
      onError={failed}
    />
  );
}

/** A video message, which a press begins and holds. */
export function RoundVideo({ message, failed }: PlayerProps): ReactNode {
  const { inbox: words } = useWords();
  const video = useRef<HTMLVideoElement>(null);
  const [plays, setPlays] = useState(false);
  const time = message.duration ? clockOf(message.duration) : '';
  const toggle = () => {
    const { current } = video;
    if (current?.paused) current.play().catch(failed);
    else current?.pause();
  };
  return (
    <button
      type="button"
      className="round-video"
      aria-label={[words.media.video_note, time, plays ? words.pause : words.play].filter(Boolean).join(' ')}
      onClick={toggle}
    >
      {/* biome-ignore lint/a11y/useMediaCaption: the platform has no captions */}
      <video
        ref={video}
        src={fileUrl(message)}
        poster={posterUrl(message)}
        playsInline
        preload="none"
        onPlay={() => setPlays(true)}
        onPause={() => setPlays(false)}
        onError={failed}
      />
      {!plays && (
        <span className="play-mark">
          <Icon name="play" /> {time}
        </span>
      )}
    </button>
  );
}

export function Sound({ message, failed }: PlayerProps): ReactNode {
  const { inbox: words } = useWords();
  const { media_type: type = 'audio', file_name: name, duration } = message;
  const facts = [...(type === 'voice' ? [] : [name ?? '']), ...(duration ? [clockOf(duration)] : [])].filter(Boolean);
  return (
    <span className="sound">
      {facts.length > 0 && <bdi className="muted file-name">{facts.join(' · ')}</bdi>}
      {/* biome-ignore lint/a11y/useMediaCaption: the platform has no captions */}
      <audio
        src={fileUrl(message)}
        controls
        preload="none"
        aria-label={name === undefined ? words.media[type] : `${words.media[type]}: ${name}`}
        onError={failed}
      />
    </span>
  );
}

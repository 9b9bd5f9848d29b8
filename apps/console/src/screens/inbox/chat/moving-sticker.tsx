import type { MessageResource as Message } from '@flotilla/contract/messages.ts';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { loadLate } from '../../../load-late.ts';
import { useMedia } from '../../../parts/media.ts';
import { useInView } from '../../../parts/use-in-view.ts';
import { useWords } from '../../../words/words.tsx';
import { fileUrl, pictureName, posterUrl, REDUCED_MOTION, TGS } from './files.ts';
import type { Player } from './lottie-player.ts';
import { readAnimation } from './tgs.ts';

type StickerProps = { message: Message; failed: () => void };
type DrawingProps = StickerProps & { plays: boolean };

/** A sticker that moves, or what stands for one that browsers cannot draw. */
export function MovingSticker({ message, failed }: StickerProps): ReactNode {
  const { inbox: words } = useWords();
  const [isBroken, setBroken] = useState(false);
  const { emoji, width = 512, height = 512, mime_type: mime = '', thumbnail_file_id: poster } = message;
  const fail = () => ((emoji ?? poster) === undefined ? failed() : setBroken(true));
  const name = pictureName({ text: emoji }, words.media.sticker);
  const look = { className: 'moving-sticker', style: { aspectRatio: `${width} / ${height}` } };
  const Drawing = mime.startsWith('video/') ? Film : mime === TGS ? Lottie : null;
  if (isBroken || Drawing === null) {
    return (
      <span {...look} role="img" aria-label={name}>
        <StandIn message={message} failed={failed} />
      </span>
    );
  }
  return <Playing look={look} name={name} Drawing={Drawing} message={message} failed={fail} />;
}

type PlayingProps = StickerProps & { look: object; name: string; Drawing: (drawing: DrawingProps) => ReactNode };

/** It moves while it is on the screen. A press holds it, and begins it for those who want no motion, as the pointer does. */
function Playing({ look, name, Drawing, message, failed }: PlayingProps): ReactNode {
  const { inbox: words } = useWords();
  const button = useRef<HTMLButtonElement>(null);
  const isSeen = useInView(button);
  const isStill = useMedia(REDUCED_MOTION);
  const [pressed, setPressed] = useState<boolean | null>(null);
  const [isUnderPointer, setUnderPointer] = useState(false);
  const [wasSeen, setWasSeen] = useState(false);
  if (isSeen && !wasSeen) setWasSeen(true);
  const wants = pressed ?? (!isStill || isUnderPointer);
  return (
    <button
      {...look}
      ref={button}
      type="button"
      aria-label={`${name}, ${wants ? words.pause : words.play}`}
      onClick={() => setPressed(!wants)}
      onPointerEnter={({ pointerType }) => setUnderPointer(pointerType === 'mouse')}
      onPointerLeave={() => setUnderPointer(false)}
    >
      {wasSeen ? (
        <Drawing message={message} failed={failed} plays={isSeen && wants} />
      ) : (
        <StandIn message={message} failed={() => {}} />
      )}
    </button>
  );
}

function Film({ message, failed, plays }: DrawingProps): ReactNode {
  const video = useRef<HTMLVideoElement>(null);
  useEffect(() => {
    // A pause before its first frame ends the promise with an error.
    if (plays) video.current?.play().catch(() => {});
    else video.current?.pause();
  }, [plays]);
  return (
    <video ref={video} src={fileUrl(message)} poster={posterUrl(message)} muted loop playsInline onError={failed} />
  );
}

function Lottie({ message, failed, plays }: DrawingProps): ReactNode {
  const canvas = useRef<HTMLSpanElement>(null);
  const broken = useRef(failed);
  const [player, setPlayer] = useState<Player | null>(null);
  const url = fileUrl(message);
  useEffect(() => {
    const gone = new AbortController();
    void openPlayer(url, canvas.current!, gone.signal, () => broken.current()).then(setPlayer);
    return () => gone.abort();
  }, [url]);
  useEffect(() => (plays ? player?.play() : player?.pause()), [player, plays]);
  return (
    <>
      {player === null && <StandIn message={message} failed={() => {}} />}
      <span ref={canvas} />
    </>
  );
}

/** Null if it is not wanted any more, or has failed. The player is removed when the signal aborts. */
async function openPlayer(
  url: string,
  container: HTMLElement,
  signal: AbortSignal,
  failed: () => void,
): Promise<Player | null> {
  try {
    const [animation, { drawAnimation }] = await Promise.all([
      readAnimation(url, signal),
      loadLate(() => import('./lottie-player.ts')),
    ]);
    if (signal.aborted) return null;
    const player = drawAnimation(container, animation, failed);
    signal.addEventListener('abort', () => player.destroy());
    return player;
  } catch {
    if (!signal.aborted) failed();
    return null;
  }
}

/** The small picture that the platform made of a sticker, or its emoji. */
function StandIn({ message, failed }: StickerProps): ReactNode {
  const [isBroken, setBroken] = useState(false);
  const poster = posterUrl(message);
  const { emoji } = message;
  if (poster === undefined || isBroken) return <span className="big-emoji">{emoji}</span>;
  return <img src={poster} alt="" onError={() => (emoji === undefined ? failed() : setBroken(true))} />;
}

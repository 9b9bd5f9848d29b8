import { type ReactNode, useEffect, useRef } from 'react';
import { Button } from '../../../parts/button.tsx';
import { Icon } from '../../../parts/icon.tsx';
import { useWords } from '../../../words/words.tsx';
import { clockOf } from '../chat/files.ts';
import { canRecord } from './record-voice.ts';
import type { Voice } from './use-voice.ts';
import './voice.css';

/** Begins to record a voice message; absent where the browser cannot. */
export function VoiceButton({ voice }: { voice: Voice }): ReactNode {
  const { voice: words } = useWords().inbox;
  if (!canRecord()) return null;
  return (
    <Button
      kind="quiet"
      aria-label={words.record}
      title={words.record}
      disabled={voice.isAsking || voice.seconds !== null}
      onClick={voice.begin}
    >
      <Icon name="microphone" />
    </Button>
  );
}

type StripProps = {
  voice: Voice;
  /** After its buttons are gone. */
  focusField: () => void;
};

/** The recording that is asked for or runs, or why there is none. */
export function VoiceStrip({ voice, focusField }: StripProps): ReactNode {
  const { inbox, cancel, close } = useWords();
  const { voice: words } = inbox;
  const { isAsking, seconds, error } = voice;
  const discard = () => {
    voice.discard();
    focusField();
  };
  if (error !== null) {
    return (
      <div className="strip">
        <p role="alert" className="fault voice-told">
          {error.name === 'NotAllowedError' ? words.denied : error.name === 'NotFoundError' ? words.none : words.failed}
        </p>
        <Button kind="quiet" className="icon-only" aria-label={close} onClick={discard}>
          <Icon name="close" />
        </Button>
      </div>
    );
  }
  if (seconds !== null) {
    const finish = () => {
      voice.finish();
      focusField();
    };
    return <Running seconds={seconds} finish={finish} discard={discard} />;
  }
  if (!isAsking) return null;
  return (
    <div className="strip">
      <span role="status" className="voice-told">
        {words.asking}
      </span>
      <Button onClick={discard}>{cancel}</Button>
    </div>
  );
}

type RunningProps = { seconds: number; finish: () => void; discard: () => void };

function Running({ seconds, finish, discard }: RunningProps): ReactNode {
  const { voice: words } = useWords().inbox;
  const done = useRef<HTMLButtonElement>(null);
  // The button that began it takes no more presses, and has lost the focus.
  useEffect(() => done.current?.focus(), []);
  return (
    <div className="strip recording">
      <span role="status">{words.recording}</span>
      <time className="voice-told">{clockOf(seconds)}</time>
      <Button onClick={discard}>{words.discard}</Button>
      <Button ref={done} kind="primary" onClick={finish}>
        {words.finish}
      </Button>
    </div>
  );
}

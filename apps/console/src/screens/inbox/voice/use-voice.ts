import { useEffect, useRef, useState } from 'react';
import { type Recording, recordVoice } from './record-voice.ts';

const TICK_MS = 250;

export type Voice = {
  /** True while the browser asks for the microphone. */
  isAsking: boolean;
  /** Seconds of the recording that runs; null: none. */
  seconds: number | null;
  /** Why there is none. */
  error: Error | null;
  begin(): void;
  finish(): void;
  /** Ends what is asked, recorded or told, and keeps nothing. */
  discard(): void;
};

/** One recording at a time; `done` gets its file. Leaving the chat ends it, and keeps nothing. */
export function useVoice(done: (file: File) => void): Voice {
  const [begunAtMs, setBegun] = useState<number | null>(null);
  const [isAsking, setAsking] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  const current = useRef<Promise<Recording> | null>(null);
  const nowMs = useNowMs(begunAtMs !== null);
  useEffect(
    () => () => {
      void drop(current.current);
      current.current = null;
    },
    [],
  );
  const end = (why: unknown = null): Promise<Recording> | null => {
    const recording = current.current;
    current.current = null;
    setAsking(false);
    setBegun(null);
    setError(why === null || why instanceof Error ? why : new Error(String(why)));
    return recording;
  };
  const finish = () => {
    end()
      ?.then((recording) => recording.finish())
      .then(done, setError);
  };
  return {
    isAsking,
    seconds: begunAtMs === null ? null : Math.max(0, Math.floor((nowMs - begunAtMs) / 1_000)),
    error,
    begin() {
      if (current.current !== null) return;
      setError(null);
      setAsking(true);
      const asked = recordVoice();
      current.current = asked;
      const ifCurrent = (act: () => void) => current.current === asked && act();
      asked.then(
        ({ ended }) => {
          void ended.then(() => ifCurrent(finish));
          ifCurrent(() => {
            setAsking(false);
            setBegun(Date.now());
          });
        },
        (reason) => ifCurrent(() => end(reason)),
      );
    },
    finish,
    discard: () => void drop(end()),
  };
}

/** Also what the browser has not allowed yet: if it does so later, the microphone is let go at once. */
async function drop(recording: Promise<Recording> | null): Promise<void> {
  await recording?.then(
    ({ discard }) => discard(),
    () => {},
  );
}

function useNowMs(runs: boolean): number {
  const [nowMs, setNow] = useState(0);
  useEffect(() => {
    if (!runs) return;
    const timer = setInterval(() => setNow(Date.now()), TICK_MS);
    return () => clearInterval(timer);
  }, [runs]);
  return nowMs;
}

import { useEffect, useRef, useState } from 'react';

const TYPING_MS = 200;

/**
 * The text of a field that the address holds: the address follows once the typing pauses; with `atOnce` also the first
 * key after a pause.
 */
export function useTyped(
  text: string,
  send: (typed: string) => void,
  { pauseMs = TYPING_MS, atOnce = false } = {},
): [string, (typed: string) => void] {
  const [typed, setTyped] = useState(text);
  const [sent, setSent] = useState(text);
  const [seen, setSeen] = useState(text);
  if (text !== seen) {
    setSeen(text);
    // The address changed by other means: back, a link, a cleared filter.
    if (text !== sent) {
      setSent(text);
      setTyped(text);
    }
  }
  const latest = useRef(send);
  latest.current = send;
  useEffect(() => {
    if (typed === sent) return;
    const timer = setTimeout(() => {
      setSent(typed);
      latest.current(typed);
    }, pauseMs);
    return () => clearTimeout(timer);
  }, [typed, sent, pauseMs]);
  const typedAtMs = useRef(0);
  const type = (next: string) => {
    const isFirst = Date.now() - typedAtMs.current > pauseMs;
    typedAtMs.current = Date.now();
    setTyped(next);
    if (!atOnce || !isFirst) return;
    setSent(next);
    send(next);
  };
  return [typed, type];
}

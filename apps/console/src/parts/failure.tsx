import type { ErrorComponentProps } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { CallError, isSignedOut } from '../call.ts';
import { reloadWhenAnswered } from '../load-late.ts';
import { outageOf } from '../outage.ts';
import type { Words } from '../words/en.ts';
import { useWords } from '../words/words.tsx';
import { Button } from './button.tsx';
import { platformRefusalOf } from './platform-refusal.ts';
import { useOutage } from './use-outage.ts';

type FailureProps = {
  error: Error;
  retry?: () => void;
  /** Nothing else is on the page. */
  whole?: boolean;
  /** Somebody did it: what is asked for comes again by itself, what is done does not. */
  isAct?: boolean;
};

/** Says what went wrong, by which request, and offers to try again. */
export function Failure({ error, retry, whole = false, isAct = retry === undefined }: FailureProps): ReactNode {
  const words = useWords();
  const outage = useOutage();
  if (isSignedOut(error)) return null;
  // The bar over every screen already says what is away.
  if (outage !== null && !whole && !isAct && error instanceof CallError && outageOf(error) !== null) {
    return <p className="muted">{words.outages.stale}</p>;
  }
  const requestId = error instanceof CallError ? error.requestId : null;
  return (
    <div role="alert" className={`notice bad ${whole ? 'whole' : ''}`}>
      <p>
        <strong>{words.errors.title}.</strong> {sentenceOf(error, words)}{' '}
        {requestId && <small className="muted">{words.errors.request(requestId)}</small>}
      </p>
      {retry && <Button onClick={retry}>{words.tryAgain}</Button>}
    </div>
  );
}

/** For the router, when a screen could not be loaded or drawn: a browser does not ask again for a script that failed. */
export function RouteFailure({ error }: ErrorComponentProps): ReactNode {
  const shown = error instanceof Error ? error : new Error(String(error));
  return <Failure error={shown} retry={() => void reloadWhenAnswered()} whole />;
}

/** In the words of the person where we have them, else in those of the api. */
export function sentenceOf(error: Error, words: Words): string {
  const { errors } = words;
  if (!(error instanceof CallError)) return errors.internal;
  const { code, message, store } = error;
  if (code === 'platform_refused') {
    const reason = platformRefusalOf(message, words) ?? errors.codes?.[code];
    return reason === undefined ? message : `${reason} (${message})`;
  }
  if (error.status === 0 || error.status === 502 || error.status === 504) return errors.network;
  if (error.status === 503) return store ? words.outages[store] : errors.inWords(message) || errors.unavailable;
  if (error.status === 403) return errors.forbidden;
  if (message === '') return errors.internal;
  const known = errors.inWords(message);
  if (known !== null) return known;
  return code !== null && errors.codes ? `${errors.codes[code]} (${message})` : message;
}

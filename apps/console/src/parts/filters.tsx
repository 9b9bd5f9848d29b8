import { type ReactNode, useRef, useState } from 'react';
import { useShortcuts } from '../keys.ts';
import { useWords } from '../words/words.tsx';
import { Field } from './field.tsx';
import { momentText, readMomentText } from './moment-text.ts';
import { useTyped } from './use-typed.ts';
import './filters.css';

type TypedProps = {
  label: string;
  text: string;
  choose: (text: string) => void;
  placeholder?: string;
  slash?: true;
  /** The fault of a text; such a text is not chosen. */
  faultOf?: (text: string) => string | undefined;
};

/** A text to filter by; the address follows once the typing pauses. With `slash`, `/` goes to it. */
export function TypedField({ label, text, choose, placeholder, slash, faultOf }: TypedProps): ReactNode {
  const field = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useTyped(text, (chosen) => faultOf?.(chosen) === undefined && choose(chosen));
  useShortcuts(slash ? { '/': () => field.current?.focus() } : {});
  return (
    <Field
      ref={field}
      type="search"
      label={label}
      placeholder={placeholder}
      fault={faultOf?.(typed)}
      dir="auto"
      spellCheck={false}
      autoComplete="off"
      value={typed}
      onChange={(event) => setTyped(event.target.value)}
    />
  );
}

type MomentProps = {
  label: string;
  at: string | undefined;
  choose: (at: string | undefined) => void;
  fault?: string | undefined;
};

/** A moment in the time zone of the browser, which can be typed in several forms; given and taken as ISO 8601 in UTC. */
export function MomentField({ label, at, choose, fault }: MomentProps): ReactNode {
  const { period: words } = useWords();
  const [typed, setTyped] = useState<string | null>(null);
  const [left, setLeft] = useState(false);
  const isUnread = typed !== null && typed.trim() !== '' && readMomentText(typed, new Date()) === null;
  const type = (text: string) => {
    setTyped(text);
    setLeft(false);
    const moment = readMomentText(text, new Date());
    if (moment !== null) choose(minuteOf(moment));
    else if (text.trim() === '') choose(undefined);
  };
  return (
    <Field
      label={label}
      fault={fault ?? (isUnread && left ? words.unread : undefined)}
      placeholder={words.form}
      autoComplete="off"
      spellCheck={false}
      dir="ltr"
      value={typed ?? (at === undefined ? '' : momentText(new Date(at)))}
      onChange={(event) => type(event.target.value)}
      onBlur={() => (isUnread ? setLeft(true) : setTyped(null))}
    />
  );
}

/** A moment to the minute, as addresses have it and the api takes it: ISO 8601, which needs its seconds there. */
export function minuteOf(date: Date): string {
  return `${date.toISOString().slice(0, 16)}:00Z`;
}

/** A moment of an address, if it is one. */
export function readMoment(text: unknown): string | undefined {
  if (typeof text !== 'string' || Number.isNaN(Date.parse(text))) return undefined;
  return `${new Date(text).toISOString().slice(0, 19)}Z`;
}

/** A text of an address that is not blank. */
export function readText(text: unknown): string | undefined {
  return typeof text === 'string' && text.trim() !== '' ? text : undefined;
}

/** An id of an address; those of the platform have up to 52 bits. */
export function readId(text: unknown): string | undefined {
  return typeof text === 'string' && /^-?\d{1,16}$/.test(text) ? text : undefined;
}

/** The fields that have a value: an address names no others. */
export function given<Fields extends object>(fields: Fields): { [Name in keyof Fields]?: NonNullable<Fields[Name]> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined && value !== '')) as {
    [Name in keyof Fields]?: NonNullable<Fields[Name]>;
  };
}

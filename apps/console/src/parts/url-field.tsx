import type { ReactNode } from 'react';
import { Field } from './field.tsx';

type UrlProps = {
  label: string;
  hint?: string;
  fault: string | null | undefined;
  required?: boolean;
  url: string;
  type: (url: string) => void;
};

/** A URL, which nothing corrects while it is typed; it runs from left to right in every language. */
export function UrlField({ url, type, ...field }: UrlProps): ReactNode {
  return (
    <Field
      {...field}
      inputMode="url"
      autoComplete="off"
      autoCapitalize="none"
      spellCheck={false}
      dir="ltr"
      value={url}
      onChange={(event) => type(event.target.value)}
    />
  );
}

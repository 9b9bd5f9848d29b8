import type { ReactNode } from 'react';
import { useWords } from '../words/words.tsx';
import { CheckField } from './check-field.tsx';

type SwitchProps = Parameters<typeof CheckField>[0] & { fault?: string | null | undefined };

/** A checkbox, and below it why the api refused its value. */
export function SwitchField({ fault, ...check }: SwitchProps): ReactNode {
  const { errors } = useWords();
  return (
    <div>
      <CheckField {...check} />
      {fault && (
        <p role="alert" className="fault">
          {errors.inWords(fault) ?? fault}
        </p>
      )}
    </div>
  );
}

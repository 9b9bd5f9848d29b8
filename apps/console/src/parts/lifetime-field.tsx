import type { ReactNode } from 'react';
import { useWords } from '../words/words.tsx';
import { SelectField } from './field.tsx';
import { MomentField } from './filters.tsx';

const DAY_MS = 86_400_000;
const LIFETIMES = ['30', '90', '365', 'until', 'never'] as const;

/** How long something is valid; `until` is the moment of 'until'. */
export type Lifetime = { span: (typeof LIFETIMES)[number]; until?: string | undefined };

/** The end of a lifetime that begins now; undefined for one without an end. */
export function expiryOf({ span, until }: Lifetime): string | undefined {
  if (span === 'never') return undefined;
  if (span === 'until') return until ?? '';
  return new Date(Date.now() + Number(span) * DAY_MS).toISOString();
}

type LifetimeProps = {
  lifetime: Lifetime;
  choose: (lifetime: Lifetime) => void;
  /** The hint for no end. */
  neverHint: string;
  fault: string | undefined;
};

/** When something expires: after a usual time, at a moment, or never. */
export function LifetimeField({ lifetime, choose, neverHint, fault }: LifetimeProps): ReactNode {
  const { access: words } = useWords();
  const { span, until } = lifetime;
  return (
    <>
      <SelectField
        label={words.expires}
        options={LIFETIMES.map((one) => [one, words.lifetimes[one]])}
        hint={span === 'never' ? neverHint : ''}
        fault={span === 'until' ? null : fault}
        value={span}
        choose={(chosen) => choose({ span: chosen, until })}
      />
      {span === 'until' && (
        <MomentField
          label={words.lifetimes.until}
          at={until}
          choose={(at) => choose({ span, until: at })}
          fault={fault}
        />
      )}
    </>
  );
}

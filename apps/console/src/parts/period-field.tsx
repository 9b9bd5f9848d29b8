import { type ReactNode, useState } from 'react';
import { useWords } from '../words/words.tsx';
import { SelectField } from './field.tsx';
import { MomentField, minuteOf } from './filters.tsx';

const HOUR_MS = 3_600_000;
const DAYS = { week: 7, month: 30, quarter: 90 } as const;
const PRESETS = ['hour', 'today', 'yesterday', ...(Object.keys(DAYS) as (keyof typeof DAYS)[])] as const;
type Preset = (typeof PRESETS)[number];
/** Two moments, as ISO 8601; absent: without a beginning, or without an end. */
export type Period = { from: string | undefined; to: string | undefined };

type PeriodProps = Period & { choose: (period: Period) => void };

/** A period: a usual one that ends now, or one between two moments that are typed. */
export function PeriodField({ from, to, choose }: PeriodProps): ReactNode {
  const { period: words } = useWords();
  const [chosen, setChosen] = useState<{ preset: Preset; from: string | undefined } | 'own' | null>(null);
  const isSet = from !== undefined || to !== undefined;
  const ofPreset = typeof chosen === 'object' && chosen !== null && chosen.from === from ? chosen.preset : null;
  const value = ofPreset ?? (isSet || chosen === 'own' ? 'own' : '');
  const pick = (picked: Preset | 'own' | '') => {
    if (picked === 'own') return setChosen('own');
    const period = picked === '' ? { from: undefined, to: undefined } : periodOf(picked, new Date());
    setChosen(picked === '' ? null : { preset: picked, from: period.from });
    choose(period);
  };
  return (
    <>
      <SelectField
        label={words.label}
        options={[
          ['', words.any],
          ...PRESETS.map((preset) => [preset, words.presets[preset]] as const),
          ['own', words.own],
        ]}
        value={value}
        choose={pick}
      />
      {value === 'own' && (
        <>
          <MomentField label={words.from} at={from} choose={(chosenFrom) => choose({ from: chosenFrom, to })} />
          <MomentField label={words.to} at={to} choose={(chosenTo) => choose({ from, to: chosenTo })} />
        </>
      )}
    </>
  );
}

function periodOf(preset: Preset, now: Date): Period {
  switch (preset) {
    case 'hour':
      return { from: minuteOf(new Date(now.getTime() - HOUR_MS)), to: undefined };
    case 'today':
      return { from: minuteOf(midnight(now, 0)), to: undefined };
    case 'yesterday':
      return { from: minuteOf(midnight(now, 1)), to: minuteOf(midnight(now, 0)) };
    default:
      return { from: minuteOf(midnight(now, DAYS[preset] - 1)), to: undefined };
  }
}

/** Midnight of so many days before a day; days of a change of the clocks have 23 or 25 hours. */
function midnight(now: Date, daysBefore: number): Date {
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() - daysBefore);
}

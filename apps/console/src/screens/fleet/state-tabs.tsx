import type { BotState } from '@flotilla/contract/bots.ts';
import type { FleetResource } from '@flotilla/contract/fleet.ts';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { StateMark } from '../../parts/state-badge.tsx';
import { useNumber } from '../../parts/time.tsx';
import { useWords } from '../../words/words.tsx';
import { STATES } from './fleet-filter.ts';

type Tabs = { states: FleetResource['states'] | undefined; chosen: BotState | undefined };

/** How many bots there are of each state; each filters the list. States without bots are left out. */
export function StateTabs({ states, chosen }: Tabs): ReactNode {
  const words = useWords();
  const number = useNumber();
  const shown = STATES.filter((state) => state === chosen || (states?.[state] ?? 0) > 0);
  return (
    <nav className="state-tabs" aria-label={words.fleet.states}>
      <Link to="/" search={({ state: _, ...others }) => others} activeOptions={{ exact: true }}>
        {words.fleet.all}
      </Link>
      {shown.map((state) => (
        <Link
          key={state}
          to="/"
          search={(others) => ({ ...others, state })}
          activeOptions={{ exact: true }}
          title={words.stateHints[state]}
        >
          <StateMark state={state} />
          {words.states[state]} <span className="tab-count">{number(states?.[state] ?? 0)}</span>
        </Link>
      ))}
    </nav>
  );
}

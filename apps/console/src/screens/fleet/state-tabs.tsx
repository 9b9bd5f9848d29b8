import type { BotState } from '@flotilla/contract/bots.ts';
import type { FleetResource } from '@flotilla/contract/fleet.ts';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { StateMark } from '../../parts/state-badge.tsx';
import { useNumber } from '../../parts/time.tsx';
import { useWords } from '../../words/words.tsx';
import { type FleetFilter, STATES } from './fleet-filter.ts';

type Tabs = { fleet: FleetResource | undefined; filter: FleetFilter };

/** How many bots there are of each state, or with programs in trouble; each filters the list. Those without bots are left out. */
export function StateTabs({ fleet, filter }: Tabs): ReactNode {
  const words = useWords();
  const number = useNumber();
  const { trouble } = words.fleet;
  const countOf = (state: BotState) => fleet?.states[state] ?? 0;
  const inTrouble = fleet?.program_trouble ?? 0;
  const shown = STATES.filter((state) => state === filter.state || countOf(state) > 0);
  return (
    <nav className="state-tabs" aria-label={words.fleet.states}>
      <Link to="/" search={unfiltered} activeOptions={{ exact: true }}>
        {words.fleet.all}
      </Link>
      {shown.map((state) => (
        <Link
          key={state}
          to="/"
          search={(filter) => ({ ...unfiltered(filter), state })}
          activeOptions={{ exact: true }}
          title={words.stateHints[state]}
        >
          <StateMark state={state} />
          {words.states[state]} <span className="tab-count">{number(countOf(state))}</span>
        </Link>
      ))}
      {(inTrouble > 0 || filter.program_trouble) && (
        <Link
          to="/"
          search={(filter) => ({ ...unfiltered(filter), program_trouble: true })}
          activeOptions={{ exact: true }}
          title={trouble.hint}
        >
          <StateMark state="failing" />
          {trouble.title} <span className="tab-count">{number(inTrouble)}</span>
        </Link>
      )}
    </nav>
  );
}

/** A tab takes the place of the one before; what else the address says stays. */
function unfiltered<Search extends object>(search: Search): Omit<Search, 'state' | 'program_trouble'> {
  const { state: _state, program_trouble: _trouble, ...others } = search as Search & FleetFilter;
  return others;
}

import type { FleetResource } from '@flotilla/contract/fleet.ts';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { lookOf, StateMark } from '../../parts/state-badge.tsx';
import { useNumber } from '../../parts/time.tsx';
import { useWords } from '../../words/words.tsx';
import { ATTENTION_KINDS, type FleetFilter } from './fleet-filter.ts';

type Tabs = { fleet: FleetResource | undefined; filter: FleetFilter };

/** How many bots there are with each thing that is wrong, the worst first; each filters the list. Those without bots are left out. */
export function StateTabs({ fleet, filter }: Tabs): ReactNode {
  const words = useWords();
  const kinds = ATTENTION_KINDS.map((kind) => {
    return {
      mark: kind,
      count: fleet?.attention[kind] ?? 0,
      search: { attention: kind },
      chosen: filter.attention === kind,
    };
  });
  const disabled = { mark: 'disabled', search: { state: 'disabled' }, chosen: filter.state === 'disabled' } as const;
  const tabs = [...kinds, { ...disabled, count: fleet?.states.disabled ?? 0 }];
  return (
    <nav className="state-tabs" aria-label={words.fleet.states}>
      <Link to="/" search={unfiltered} activeOptions={{ exact: true }}>
        {words.fleet.all}
      </Link>
      {tabs
        .filter(({ count, chosen }) => count > 0 || chosen)
        .map(({ chosen: _chosen, ...tab }) => (
          <Tab key={tab.mark} {...tab} />
        ))}
    </nav>
  );
}

/** The labels of the bots; each filters the list beside the rest of the filter, and a second press takes it away. */
export function LabelTabs({ fleet, filter }: Tabs): ReactNode {
  const { fleet: words } = useWords();
  const number = useNumber();
  const labels = fleet?.labels ?? [];
  if (labels.length === 0 && filter.label === undefined) return null;
  return (
    <nav className="state-tabs" aria-label={words.labels}>
      <Link to="/" search={unlabelled} activeOptions={{ exact: true }}>
        {words.all}
      </Link>
      {labels.map(({ label, bots }) => (
        <Link
          key={label}
          to="/"
          search={(before) => ({ ...unlabelled(before), ...(filter.label === label ? {} : { label }) })}
          aria-current={filter.label === label ? 'page' : undefined}
        >
          <bdi>{label}</bdi> <span className="tab-count">{number(bots)}</span>
        </Link>
      ))}
    </nav>
  );
}

function unlabelled<Search extends object>(search: Search): Omit<Search, 'label'> {
  const { label: _label, ...others } = search as Search & FleetFilter;
  return others;
}

type TabProps = { mark: keyof ReturnType<typeof useWords>['marks']; count: number; search: Partial<FleetFilter> };

function Tab({ mark, count, search }: TabProps): ReactNode {
  const words = useWords();
  const number = useNumber();
  return (
    <Link
      to="/"
      search={(before) => ({ ...unfiltered(before), ...search })}
      activeOptions={{ exact: true }}
      title={words.markHints[mark]}
    >
      <StateMark state={lookOf(mark)} />
      {words.marks[mark]} <span className="tab-count">{number(count)}</span>
    </Link>
  );
}

/** A tab takes the place of the one before; what else the address says stays. */
function unfiltered<Search extends object>(search: Search): Omit<Search, 'state' | 'attention'> {
  const { state: _state, attention: _attention, ...others } = search as Search & FleetFilter;
  return others;
}

import type { AuditAction } from '@flotilla/contract/audit-actions.ts';
import { Link, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { BotField } from '../../parts/bot-field.tsx';
import { SelectField } from '../../parts/field.tsx';
import { given, TypedField } from '../../parts/filters.tsx';
import { PeriodField } from '../../parts/period-field.tsx';
import { useWords } from '../../words/words.tsx';
import type { AuditFilter } from './audit-filter.ts';

/** Narrows the list by who, what, which bot and when; the address holds all of it. */
export function AuditFilters({ filter }: { filter: AuditFilter }): ReactNode {
  const { audit: words } = useWords();
  const navigate = useNavigate({ from: '/audit' });
  const choose = (change: { [Name in keyof AuditFilter]: AuditFilter[Name] | undefined }) =>
    void navigate({ search: given({ ...filter, ...change }), replace: true });
  const actions = Object.entries(words.actions) as [AuditAction, string][];
  const sorted = actions.toSorted(([, one], [, other]) => one.localeCompare(other));
  return (
    <section className="filters" aria-label={words.filters}>
      <TypedField
        slash
        label={words.filterActor}
        placeholder={words.actorHint}
        text={filter.actor ?? ''}
        choose={(actor) => choose({ actor: actor.trim() })}
      />
      <SelectField
        label={words.columns.action}
        options={[['', words.anyAction], ...sorted]}
        value={filter.action ?? ''}
        choose={(action) => choose({ action })}
      />
      <BotField
        label={words.columns.bot}
        placeholder={words.anyBot}
        botId={filter.bot}
        choose={(bot) => choose({ bot })}
      />
      <PeriodField from={filter.from} to={filter.to} choose={choose} />
      {Object.keys(filter).length > 0 && (
        <Link to="/audit" className="button quiet">
          {words.clear}
        </Link>
      )}
    </section>
  );
}

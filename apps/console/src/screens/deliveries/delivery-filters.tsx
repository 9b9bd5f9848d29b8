import type { ReactNode } from 'react';
import { BotField } from '../../parts/bot-field.tsx';
import { Button } from '../../parts/button.tsx';
import { SelectField } from '../../parts/field.tsx';
import { TypedField } from '../../parts/filters.tsx';
import { PeriodField } from '../../parts/period-field.tsx';
import { useDeliveriesWords } from './deliveries-words.ts';
import { type DeliveryFilter, type FilterChanges, isNarrowed, READERS, REASON_CODES } from './delivery-filter.ts';
import { FoldedFilters } from './folded-filters.tsx';

/** The choice of one program, which an address may name. */
const OF_ONE = 'one';
const STATUSES = ['0', '3xx', '4xx', '5xx'] as const;

type FiltersProps = {
  filter: DeliveryFilter;
  change: (changes: FilterChanges) => void;
  clear: () => void;
  /** The bot is that of the screen. */
  ofOneBot: boolean;
};

export function DeliveryFilters(props: FiltersProps): ReactNode {
  return (
    <FoldedFilters isSet={isNarrowed(props.filter)}>
      <FilterFields {...props} />
    </FoldedFilters>
  );
}

function FilterFields({ filter, change, clear, ofOneBot }: FiltersProps): ReactNode {
  const deliveries = useDeliveriesWords();
  const { filters: words, reasons, readers } = deliveries;
  const { program, status } = filter;
  const isOwnStatus = status !== undefined && !STATUSES.some((one) => one === status);
  return (
    <search className="filters" aria-label={words.label}>
      {!ofOneBot && (
        <BotField label={words.bot} placeholder={words.anyBot} botId={filter.bot} choose={(bot) => change({ bot })} />
      )}
      <SelectField
        label={words.reader}
        options={[
          ['', words.anyReader],
          ...READERS.map((reader) => [reader, readers[reader]] as const),
          ...(program === undefined ? [] : [[OF_ONE, words.ofProgram(program)] as const]),
        ]}
        value={program === undefined ? (filter.reader ?? '') : OF_ONE}
        choose={(chosen) => chosen !== OF_ONE && change({ reader: chosen || undefined, program: undefined })}
      />
      <SelectField
        label={words.reason}
        options={[['', words.anyReason], ...REASON_CODES.map((reason) => [reason, reasons[reason]] as const)]}
        value={filter.reason ?? ''}
        choose={(reason) => change({ reason: reason || undefined })}
      />
      <SelectField
        label={words.status}
        options={[
          ['', words.anyStatus],
          ...STATUSES.map((one) => [one, words.statuses[one]] as const),
          ...(isOwnStatus ? [[status, words.other(status)] as const] : []),
        ]}
        value={status ?? ''}
        choose={(chosen) => change({ status: chosen || undefined })}
      />
      <PeriodField
        from={filter.since}
        to={filter.until}
        choose={({ from: since, to: until }) => change({ since, until })}
      />
      <TypedField slash label={words.q} placeholder={words.qHint} text={filter.q ?? ''} choose={(q) => change({ q })} />
      {(isNarrowed(filter) || (!ofOneBot && filter.bot !== undefined)) && (
        <Button kind="quiet" onClick={clear}>
          {words.clear}
        </Button>
      )}
    </search>
  );
}

import type { ReactNode } from 'react';
import { Button } from '../../parts/button.tsx';
import { ChatField } from '../../parts/chat-field.tsx';
import { SelectField } from '../../parts/field.tsx';
import { TypedField } from '../../parts/filters.tsx';
import { PeriodField } from '../../parts/period-field.tsx';
import { useDeliveriesWords } from '../deliveries/deliveries-words.ts';
import {
  ATTEMPT_READERS,
  attemptConditions,
  type DeliveryFilter,
  type FilterChanges,
} from '../deliveries/delivery-filter.ts';
import { FoldedFilters } from '../deliveries/folded-filters.tsx';
import { usePrograms } from '../programs/use-programs.ts';

/** Classes of statuses, then those that backends and the platform answer with. */
const STATUSES = [
  '0',
  '2xx',
  '3xx',
  '4xx',
  '5xx',
  '400',
  '401',
  '403',
  '404',
  '413',
  '429',
  '500',
  '502',
  '503',
  '504',
];

type FiltersProps = {
  /** Absent: the failed attempts of all bots. */
  botId?: number;
  filter: DeliveryFilter;
  change: (changes: FilterChanges) => void;
  clear: () => void;
};

export function AttemptFilters(props: FiltersProps): ReactNode {
  const { botId, filter, change, clear } = props;
  const { filters: words } = useDeliveriesWords();
  const isSet = Object.keys(attemptConditions(filter)).length > 0;
  return (
    <FoldedFilters isSet={isSet}>
      <search className="filters" aria-label={words.label}>
        {botId === undefined ? (
          <ReaderKindField {...props} />
        ) : (
          <>
            <ReaderField {...props} botId={botId} />
            <SelectField
              label={words.result}
              options={[
                ['', words.anyResult],
                ['true', words.results.true],
                ['false', words.results.false],
              ]}
              value={filter.ok ?? ''}
              choose={(ok) => change({ ok: ok || undefined })}
            />
          </>
        )}
        <StatusField {...props} />
        {botId !== undefined && (
          <>
            <ChatField
              botId={String(botId)}
              label={words.chat}
              placeholder={words.anyChat}
              chatId={filter.chat}
              choose={(chat) => change({ chat })}
            />
            <TypedField
              slash
              label={words.update}
              placeholder={words.number}
              text={filter.update ?? ''}
              faultOf={(typed) => (/^\d{0,16}$/.test(typed.trim()) ? undefined : words.notANumber)}
              choose={(typed) => change({ update: typed.trim() || undefined })}
            />
          </>
        )}
        <PeriodField
          from={filter.since}
          to={filter.until}
          choose={({ from: since, to: until }) => change({ since, until })}
        />
        {isSet && (
          <Button kind="quiet" onClick={clear}>
            {words.clear}
          </Button>
        )}
      </search>
    </FoldedFilters>
  );
}

const PROGRAM = 'program:';

function ReaderKindField({ filter, change }: FiltersProps): ReactNode {
  const { filters: words, readers } = useDeliveriesWords();
  return (
    <SelectField
      label={words.reader}
      options={[['', words.anyReader], ...ATTEMPT_READERS.map((one) => [one, readers[one]] as const)]}
      value={filter.reader ?? ''}
      choose={(chosen) => change({ reader: ATTEMPT_READERS.find((one) => one === chosen) })}
    />
  );
}

/** The backend, the rules, all programs, or one of those that get their updates by webhook. */
function ReaderField({ botId, filter: { reader, program }, change }: FiltersProps & { botId: number }): ReactNode {
  const { filters: words, readers } = useDeliveriesWords();
  const programs = usePrograms(botId).data?.filter(({ mode, id }) => mode === 'push' || String(id) === program) ?? [];
  const isUnnamed = program !== undefined && !programs.some(({ id }) => String(id) === program);
  const choose = (chosen: string) => {
    if (chosen.startsWith(PROGRAM)) return change({ reader: undefined, program: chosen.slice(PROGRAM.length) });
    change({ reader: ATTEMPT_READERS.find((one) => one === chosen), program: undefined });
  };
  return (
    <SelectField
      label={words.reader}
      options={[
        ['', words.anyReader],
        ...ATTEMPT_READERS.map((one) => [one, one === 'program' ? words.allPrograms : readers[one]] as const),
        ...programs.map(({ id, name }) => [`${PROGRAM}${id}`, name] as const),
        ...(isUnnamed ? [[`${PROGRAM}${program}`, words.ofProgram(program)] as const] : []),
      ]}
      value={program === undefined ? (reader ?? '') : `${PROGRAM}${program}`}
      choose={choose}
    />
  );
}

function StatusField({ botId, filter: { status }, change }: FiltersProps): ReactNode {
  const { filters: words } = useDeliveriesWords();
  const isOther = status !== undefined && !STATUSES.includes(status);
  return (
    <SelectField
      label={words.status}
      options={[
        ['', words.anyStatus],
        ...(botId === undefined ? STATUSES.filter((one) => one !== '2xx') : STATUSES).map(
          (one) => [one, one === '0' ? words.statuses[one] : one] as const,
        ),
        ...(isOther ? [[status, status] as const] : []),
      ]}
      value={status ?? ''}
      choose={(chosen) => change({ status: chosen || undefined })}
    />
  );
}

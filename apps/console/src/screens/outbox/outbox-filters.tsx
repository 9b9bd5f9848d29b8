import type { ReactNode } from 'react';
import { BotField } from '../../parts/bot-field.tsx';
import { Button } from '../../parts/button.tsx';
import { ChatField } from '../../parts/chat-field.tsx';
import { SelectField } from '../../parts/field.tsx';
import { Icon } from '../../parts/icon.tsx';
import { useMedia } from '../../parts/media.ts';
import { PeriodField } from '../../parts/period-field.tsx';
import { useWords } from '../../words/words.tsx';
import { useBroadcastName } from '../broadcasts/use-broadcasts.ts';
import { type FilterChanges, isNarrowed, type OutboxFilter, PRIORITIES } from './outbox-filter.ts';
import { useOutboxWords } from './outbox-words.ts';
import '../../parts/chips.css';

const PHONE = '(max-width: 40rem)';

type FiltersProps = {
  filter: OutboxFilter;
  change: (changes: FilterChanges) => void;
  clear: () => void;
  /** Of a bot's own view. */
  ofBot: string | undefined;
};

/** On a phone they are closed at first, because the list comes first. */
export function OutboxFilters(props: FiltersProps): ReactNode {
  const { filters: words } = useOutboxWords();
  const isPhone = useMedia(PHONE);
  if (!isPhone) return <FilterFields {...props} />;
  return (
    <details open={isNarrowed(props.filter)}>
      <summary>{words.label}</summary>
      <FilterFields {...props} />
    </details>
  );
}

function FilterFields({ filter, change, clear, ofBot }: FiltersProps): ReactNode {
  const { filters: words, priorities } = useOutboxWords();
  const { bot, chat, priority, broadcast, by, since, until } = filter;
  return (
    <search className="filters" aria-label={words.label}>
      {ofBot === undefined && (
        <BotField
          label={words.bot}
          placeholder={words.anyBot}
          botId={bot}
          // The chat is one of the bot.
          choose={(chosen) => change({ bot: chosen, chat: undefined })}
        />
      )}
      {bot !== undefined && (
        <ChatField
          label={words.chat}
          placeholder={words.anyChat}
          botId={bot}
          chatId={chat}
          choose={(chosen) => change({ chat: chosen })}
        />
      )}
      <SelectField
        label={words.priority}
        options={[['', words.anyPriority], ...PRIORITIES.map((one) => [one, priorities[one]] as const)]}
        value={priority ?? ''}
        choose={(chosen) => change({ priority: chosen || undefined })}
      />
      <PeriodField from={since} to={until} choose={({ from, to }) => change({ since: from, until: to })} />
      {broadcast !== undefined && <BroadcastChip id={broadcast} remove={() => change({ broadcast: undefined })} />}
      {by !== undefined && <Chip text={words.by(by)} remove={() => change({ by: undefined })} />}
      {(isNarrowed(filter) || (ofBot === undefined && bot !== undefined)) && (
        <Button kind="quiet" onClick={clear}>
          {words.clear}
        </Button>
      )}
    </search>
  );
}

function BroadcastChip({ id, remove }: { id: string; remove: () => void }): ReactNode {
  const { filters: words } = useOutboxWords();
  return <Chip text={words.broadcast(useBroadcastName(id))} remove={remove} />;
}

function Chip({ text, remove }: { text: string; remove: () => void }): ReactNode {
  const { clearField } = useWords();
  return (
    <span className="chip">
      <bdi className="cut">{text}</bdi>
      <button type="button" aria-label={clearField(text)} onClick={remove}>
        <Icon name="close" />
      </button>
    </span>
  );
}

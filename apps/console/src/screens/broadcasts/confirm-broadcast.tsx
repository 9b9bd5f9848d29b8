import { type UseMutationResult, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { call } from '../../call.ts';
import { nameQuery } from '../../parts/bot-field.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Failure } from '../../parts/failure.tsx';
import { Moment } from '../../parts/time.tsx';
import { useBroadcastsWords } from './broadcasts-words.ts';
import type { BroadcastInput } from './draft.ts';
import { BROADCASTS } from './use-broadcasts.ts';
import { useDuration } from './use-duration.ts';

/** Broadcasts leave a fifth of the pace of the bot to the others. */
const SHARE = 0.8;

type ConfirmProps = {
  input: BroadcastInput;
  sending: Pick<UseMutationResult<unknown, Error, void>, 'mutate' | 'isPending' | 'error'>;
  close: () => void;
};

/** Counts the audience once more, says how long it takes, and asks. */
export function ConfirmBroadcast({ input, sending, close }: ConfirmProps): ReactNode {
  const { confirm: words, form } = useBroadcastsWords();
  const duration = useDuration();
  const counted = useQuery({
    queryKey: [BROADCASTS, 'tried', input],
    queryFn: () => call('addBroadcast', { ...input, dry_run: true }),
    gcTime: 0,
    staleTime: 0,
    retry: false,
  });
  const total = counted.data?.counts.total;
  const isLater = 'send_at' in input && input.send_at !== undefined;
  const bot = useQuery(nameQuery(input.bot_id));
  const fastest = bot.data && bot.data.pace.per_second * SHARE;
  return (
    <Confirm
      title={total === undefined ? form.counting : isLater ? words.titleLater(total) : words.title(total)}
      description={total === 0 ? words.none : isLater ? words.laterHint : words.hint}
      act={isLater ? words.actLater : total === undefined ? form.next : words.act(total)}
      run={() => sending.mutate()}
      close={close}
      busy={sending.isPending || total === undefined || (total === 0 && !isLater)}
      error={sending.error}
    >
      {counted.error && <Failure error={counted.error} retry={() => void counted.refetch()} />}
      {counted.data && counted.data.counts.blocked > 0 && <p>{form.blocked(counted.data.counts.blocked)}</p>}
      {isLater && (
        <p>
          {words.begins} <Moment at={input.send_at!} />.
        </p>
      )}
      {total !== undefined && total > 0 && fastest !== undefined && (
        <p className="muted">
          {words.takes} {duration(Math.ceil(total / Math.min(input.per_second ?? fastest, fastest)))}.
        </p>
      )}
    </Confirm>
  );
}

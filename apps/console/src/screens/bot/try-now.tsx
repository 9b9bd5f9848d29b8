import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Button } from '../../parts/button.tsx';
import { Failure } from '../../parts/failure.tsx';
import { useWords } from '../../words/words.tsx';
import { AttemptOutcome } from './attempt-outcome.tsx';
import { type BackendOf, resumeBackend } from './backend-calls.ts';
import { seeAttempt } from './see-attempt.ts';

/** Tries a backend at once, instead of at its next probe, and says what came of it. */
export function TryNow(backend: BackendOf): ReactNode {
  const { bot: words } = useWords();
  const queries = useQueryClient();
  const trial = useMutation({
    mutationFn: () => seeAttempt(attemptsOf(backend), () => resumeBackend(backend)),
    onSettled: () => queries.invalidateQueries(),
  });
  return (
    <span className="try-now">
      {trial.data !== undefined && <AttemptOutcome attempt={trial.data} />}
      <Button onClick={() => trial.mutate()} busy={trial.isPending}>
        {trial.isPending ? words.readers.trying : words.readers.tryNow}
      </Button>
      {trial.isError && <Failure error={trial.error} />}
    </span>
  );
}

function attemptsOf({ botId, programId }: BackendOf) {
  return { bot_id: botId, ...(programId === undefined ? { reader: 'push' as const } : { program_id: programId }) };
}

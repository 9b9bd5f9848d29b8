import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Button } from '../../parts/button.tsx';
import { Failure } from '../../parts/failure.tsx';
import { useWords } from '../../words/words.tsx';

/** Tries a backend at once, instead of at its next probe. */
export function TryNow({ act }: { act: () => Promise<unknown> }): ReactNode {
  const { bot: words } = useWords();
  const queries = useQueryClient();
  const resume = useMutation({ mutationFn: act, onSettled: () => queries.invalidateQueries() });
  return (
    <>
      <Button onClick={() => resume.mutate()} busy={resume.isPending}>
        {words.readers.tryNow}
      </Button>
      {resume.isError && <Failure error={resume.error} />}
    </>
  );
}

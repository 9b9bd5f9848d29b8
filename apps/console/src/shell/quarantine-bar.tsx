import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { call } from '../call.ts';
import { Button } from '../parts/button.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { Icon } from '../parts/icon.tsx';
import { useInstallation } from '../parts/use-installation.ts';
import { useWords } from '../words/words.tsx';

/** Says on every screen that this is a copy that sends nothing, and lets it take over. */
export function QuarantineBar(): ReactNode {
  const { isQuarantined } = useInstallation();
  const { quarantine: words } = useWords();
  const [asks, setAsks] = useState(false);
  if (!isQuarantined) return null;
  return (
    <div role="status" className="outage">
      <Icon name="warning" />
      <p>
        {words.text} <span className="muted">{words.hint}</span>
      </p>
      <Button onClick={() => setAsks(true)}>{words.act}</Button>
      {asks && <Adopt close={() => setAsks(false)} />}
    </div>
  );
}

function Adopt({ close }: { close: () => void }): ReactNode {
  const { quarantine: words } = useWords();
  const queries = useQueryClient();
  const adopt = useMutation({
    mutationFn: () => call('adoptInstallation', {}),
    onSuccess: async () => {
      await queries.invalidateQueries();
      close();
    },
  });
  return (
    <Confirm
      title={words.title}
      description={words.question}
      act={words.act}
      danger
      run={adopt.mutate}
      close={close}
      busy={adopt.isPending}
      error={adopt.error}
    />
  );
}

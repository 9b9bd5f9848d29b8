import type { ReactNode } from 'react';
import { useWords } from '../words/words.tsx';
import { Button } from './button.tsx';
import { Ago } from './time.tsx';
import type { Clash } from './use-clash.ts';

/** Says who changed which fields of the form meanwhile, and asks which version to keep. */
export function ChangedMeanwhile({ clash }: { clash: Clash }): ReactNode {
  const { meanwhile: words } = useWords();
  const { entry, fields } = clash.error;
  return (
    <div role="alert" className="notice clash">
      <div>
        <p>
          <strong>
            <bdi>{entry?.actor_username ?? words.somebody}</bdi> {words.changed(fields)}
          </strong>{' '}
          {entry && (
            <small className="muted">
              <Ago at={new Date(entry.date * 1_000).toISOString()} />
            </small>
          )}
        </p>
        <p>{clash.showsTheirs ? words.shown : words.kept}</p>
      </div>
      <div className="actions">
        <Button onClick={clash.showsTheirs ? clash.showMine : clash.showTheirs}>
          {clash.showsTheirs ? words.mine : words.theirs}
        </Button>
        <Button kind="danger" onClick={clash.overwrite}>
          {words.overwrite}
        </Button>
      </div>
    </div>
  );
}

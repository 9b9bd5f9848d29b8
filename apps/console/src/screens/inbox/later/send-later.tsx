import { type ReactNode, useState } from 'react';
import { Button } from '../../../parts/button.tsx';
import { Dialog } from '../../../parts/dialog.tsx';
import { MomentField } from '../../../parts/filters.tsx';
import { Icon } from '../../../parts/icon.tsx';
import { Menu, MenuItem } from '../../../parts/menu.tsx';
import { useWords } from '../../../words/words.tsx';
import { useLaterWords } from './later-words.ts';

const HOUR_MS = 3_600_000;
const YEAR_MS = 365 * 24 * HOUR_MS;
const [EVENING, MORNING] = [20, 9];

type LaterProps = {
  /** Why the message cannot be sent later; null: it can. */
  obstacle: 'empty' | 'file' | null;
  schedule: (at: Date) => void;
};

/** A menu beside the button that sends: usual times, or one that is typed. */
export function SendLater({ obstacle, schedule }: LaterProps): ReactNode {
  const words = useLaterWords();
  const [asks, setAsks] = useState(false);
  return (
    <>
      <Menu label={words.open} face={<Icon name="later" />}>
        {obstacle === null ? (
          <Times schedule={schedule} ask={() => setAsks(true)} />
        ) : (
          <p className="menu-note">{words[obstacle]}</p>
        )}
      </Menu>
      {asks && <AskTime schedule={schedule} close={() => setAsks(false)} />}
    </>
  );
}

function Times({ schedule, ask }: { schedule: LaterProps['schedule']; ask: () => void }): ReactNode {
  const { presets } = useLaterWords();
  const now = new Date();
  const atHour = (hour: number, days: number) =>
    new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, hour);
  const evening = atHour(EVENING, 0);
  return (
    <>
      <MenuItem onClick={() => schedule(new Date(Date.now() + HOUR_MS))}>{presets.hour}</MenuItem>
      {evening > now && <MenuItem onClick={() => schedule(evening)}>{presets.evening}</MenuItem>}
      <MenuItem onClick={() => schedule(atHour(MORNING, 1))}>{presets.morning}</MenuItem>
      <MenuItem onClick={ask}>{presets.own}</MenuItem>
    </>
  );
}

function AskTime({ schedule, close }: { schedule: LaterProps['schedule']; close: () => void }): ReactNode {
  const words = useLaterWords();
  const { cancel } = useWords();
  const [at, setAt] = useState<string | undefined>(undefined);
  const [isWrong, setWrong] = useState(false);
  const submit = () => {
    const inMs = Date.parse(at ?? '') - Date.now();
    const isRight = inMs > 0 && inMs < YEAR_MS;
    setWrong(!isRight);
    if (!isRight) return;
    close();
    schedule(new Date(at!));
  };
  return (
    <Dialog title={words.title} close={close} className="narrow">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <MomentField
          label={words.at}
          at={at}
          choose={(chosen) => {
            setAt(chosen);
            setWrong(false);
          }}
          {...(isWrong ? { fault: words.past } : {})}
        />
        <div className="dialog-actions">
          <Button onClick={close}>{cancel}</Button>
          <Button type="submit" kind="primary">
            {words.act}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

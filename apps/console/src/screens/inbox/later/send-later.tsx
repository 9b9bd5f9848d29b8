import { type ReactNode, useState } from 'react';
import { Confirm } from '../../../parts/confirm.tsx';
import { MomentField } from '../../../parts/filters.tsx';
import { Icon } from '../../../parts/icon.tsx';
import { Menu, MenuItem } from '../../../parts/menu.tsx';
import { useForm } from '../../../parts/use-form.ts';
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
  const { draft, faults, change, asked } = useForm({
    known: (): { at: string | undefined } => ({ at: undefined }),
    check({ at }) {
      const inMs = Date.parse(at ?? '') - Date.now();
      return inMs > 0 && inMs < YEAR_MS ? {} : { at: words.past };
    },
    async send({ at }) {
      close();
      schedule(new Date(at!));
    },
  });
  return (
    <Confirm title={words.title} act={words.act} close={close} {...asked}>
      <MomentField label={words.at} at={draft.at} choose={(at) => change({ at })} fault={faults.at} />
    </Confirm>
  );
}

import type { BotResource } from '@flotilla/contract/bots.ts';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useMemo } from 'react';
import { CopyButton } from '../../parts/copy-button.tsx';
import { Facts } from '../../parts/facts.tsx';
import { Inspector } from '../../parts/inspector.tsx';
import { JsonView } from '../../parts/json-view.tsx';
import { Clock } from '../../parts/time.tsx';
import { useWords } from '../../words/words.tsx';
import { curlOf } from './curl-of.ts';
import type { LiveRow } from './live-rows.ts';

type DetailsProps = { row: LiveRow; bot: BotResource | undefined; close: () => void };

/** One event with its JSON, beside the list. */
export function LiveDetails({ row, bot, close }: DetailsProps): ReactNode {
  const { live: words } = useWords();
  const value = useMemo(() => JSON.parse(row.json) as unknown, [row.json]);
  const curl = curlOf(row, value, bot);
  return (
    <Inspector title={`${words.kinds[row.kind]} ${row.what}`} close={close}>
      <Facts
        rows={[
          [words.columns.at, <Clock key="at" at={row.at} />],
          ...(bot === undefined ? [] : [[words.columns.bot, <bdi key="bot">{bot.name}</bdi>] as const]),
          ...(row.chat_id === null ? [] : [[words.columns.chat, row.chat_id] as const]),
          ...(row.kind === 'gap' ? [[words.columns.text, words.gap] as const] : []),
        ]}
      />
      <div className="copy-actions">
        <CopyButton label={words.copyJson} text={JSON.stringify(value, null, 2)} />
        {curl && <CopyButton label={words.copyCurl} text={curl} />}
        {row.pastId !== undefined && (
          <Link to="/bots/$id/updates/$update" params={{ id: String(row.bot_id), update: String(row.pastId) }}>
            {words.whatBecame}
          </Link>
        )}
      </div>
      <JsonView value={value} />
    </Inspector>
  );
}

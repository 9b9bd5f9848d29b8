import type { ReactNode } from 'react';
import type { Answer } from '../../call.ts';
import { useWords } from '../../words/words.tsx';
import { lookOfReader } from './reader-state.tsx';

type Reader = Answer<'listReaders'>[number];

const LANE_PX = 26;
const LOG_PX = 10;
const NAME_PX = 17;
/** The newest update stands here, so that its cursors are not cut. */
const NEWEST_PERCENT = 97;

/** So that the first name does not lie over the log. */
const GAP_PX = 6;

const yOf = (lane: number): number => LOG_PX + GAP_PX + (lane + 0.62) * LANE_PX;

/** The log of the bot as a bar, and below it how far each reader has come: the line ends at its cursor. */
export function ReaderPicture({
  readers,
  nameOf,
}: {
  readers: readonly Reader[];
  nameOf: (reader: Reader) => string;
}): ReactNode {
  const { readers: words } = useWords().bot;
  const longest = Math.max(...readers.map(({ behind }) => behind));
  const at = ({ behind }: Reader) => `${NEWEST_PERCENT * (1 - (longest === 0 ? 0 : (behind / longest) * 0.9))}%`;
  const said = readers.map(
    (reader) => `${nameOf(reader)}: ${reader.behind === 0 ? words.upToDate : words.behind(reader.behind)}.`,
  );
  const height = LOG_PX + GAP_PX + readers.length * LANE_PX + 4;
  return (
    <figure className="reader-picture">
      <figcaption>
        <span>{longest === 0 ? '' : words.oldestUnread}</span>
        <span>{words.newest}</span>
      </figcaption>
      <svg role="img" aria-label={`${words.picture} ${said.join(' ')}`} height={height}>
        <rect className="log" x="0" y="0" width={`${NEWEST_PERCENT}%`} height={LOG_PX} rx="3" />
        {readers.map((reader, lane) => (
          <g key={reader.reader} className="lane">
            <line className="cursor-of" x1={at(reader)} x2={at(reader)} y1="0" y2={yOf(lane)} />
          </g>
        ))}
        {readers.map((reader, lane) => {
          const y = yOf(lane);
          return (
            <g key={reader.reader} className={`lane ${lookOfReader(reader)}`}>
              <foreignObject x="0" y={y - NAME_PX - 2} width={`${NEWEST_PERCENT - 2}%`} height={NAME_PX}>
                <bdi className="cut">{nameOf(reader)}</bdi>
              </foreignObject>
              <line className="waits" x1={at(reader)} x2={`${NEWEST_PERCENT}%`} y1={y} y2={y} />
              <line className="has-read" x1="0" x2={at(reader)} y1={y} y2={y} />
              <circle cx={at(reader)} cy={y} r="4.5" />
            </g>
          );
        })}
      </svg>
    </figure>
  );
}

import type { MessageResource as Message } from '@flotilla/contract/messages.ts';
import type { ReactNode } from 'react';
import { useNumber } from '../../../parts/time.tsx';
import { useWords } from '../../../words/words.tsx';
import { serviceLine } from './summary.ts';
import './content-view.css';

const POSITION = /: (-?\d+(?:\.\d+)?), (-?\d+(?:\.\d+)?)$/;
const DICE = /^Dice (.+): (\d+)$/;

/** Content of a message that is neither text nor a file: a poll, a place, a throw of dice, …. */
export function Content({ message }: { message: Message }): ReactNode {
  const { inbox: words } = useWords();
  const { service = '', text = '', poll } = message;
  if (poll !== undefined) return <Poll poll={poll} />;
  const [, latitude, longitude] = (service === 'location' && POSITION.exec(text)) || [];
  if (latitude !== undefined && longitude !== undefined) return <Place latitude={latitude} longitude={longitude} />;
  const [, emoji, value] = (service === 'dice' && DICE.exec(text)) || [];
  if (emoji !== undefined && value !== undefined) {
    return (
      <p className="dice">
        <span aria-hidden="true">{emoji}</span> {words.thrown(value)}
      </p>
    );
  }
  return (
    <div className="text" dir="auto">
      {serviceLine(service, text, words)}
    </div>
  );
}

function Place({ latitude, longitude }: { latitude: string; longitude: string }): ReactNode {
  const { inbox: words } = useWords();
  const map = `https://www.openstreetmap.org/?mlat=${latitude}&mlon=${longitude}#map=16/${latitude}/${longitude}`;
  return (
    <div className="text">
      {words.services.location}:{' '}
      <a href={map} target="_blank" rel="noopener noreferrer" title={words.openMap}>
        <bdi>
          {latitude}, {longitude}
        </bdi>
      </a>
    </div>
  );
}

type Polled = NonNullable<Message['poll']>;

function Poll({ poll }: { poll: Polled }): ReactNode {
  const { inbox: words } = useWords();
  const number = useNumber();
  const { question, type, options, total_voter_count: voters } = poll;
  const facts = [
    type === 'quiz' ? words.quiz : words.services.poll,
    ...(poll.is_anonymous ? [words.anonymous] : []),
    ...(poll.allows_multiple_answers ? [words.severalAnswers] : []),
    words.votes(voters),
    ...(poll.is_closed ? [words.pollClosed] : []),
  ].join(' · ');
  return (
    <section className="poll" aria-label={words.services.poll}>
      <p className="poll-question" dir="auto">
        {question}
      </p>
      <ul>
        {options.map(({ text, voter_count: count }, at) => {
          const share = voters === 0 ? 0 : Math.round((100 * count) / voters);
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: two options may have one text
            <li key={at}>
              <span className="poll-option" dir="auto">
                {text}
              </span>
              <span className="muted poll-share">
                {number(share)} % <span className="unseen">({words.votes(count)})</span>
              </span>
              <span aria-hidden="true" className="poll-bar">
                <span style={{ inlineSize: `${share}%` }} />
              </span>
            </li>
          );
        })}
      </ul>
      <p className="muted poll-facts">{facts}</p>
    </section>
  );
}

import type { QuestionResource } from '@flotilla/contract/questions.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { call, callPage } from '../../call.ts';
import { Button } from '../../parts/button.tsx';
import { ChatLink } from '../../parts/chat-link.tsx';
import { Confirm } from '../../parts/confirm.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Failure } from '../../parts/failure.tsx';
import { StateMark } from '../../parts/state-badge.tsx';
import { Moment } from '../../parts/time.tsx';
import { usePages } from '../../parts/use-pages.ts';
import { type Column, VirtualTable } from '../../parts/virtual-table.tsx';
import { useBot } from '../bot/use-bot.ts';
import { useQuestionsWords } from './questions-words.ts';
import './questions.css';

const PAGE = 50;
const LOOKS = { open: 'not_polled', answered: 'ok', expired: 'disabled', cancelled: 'disabled' } as const;

export function Questions(): ReactNode {
  const { data: bot } = useBot();
  return bot && <QuestionsOf key={bot.id} bot_id={bot.id} />;
}

function QuestionsOf({ bot_id }: { bot_id: number }): ReactNode {
  const words = useQuestionsWords();
  const questions = usePages<QuestionResource>(['questions', bot_id], (page, signal) =>
    callPage('listQuestions', { bot_id, ...page, limit: PAGE }, signal),
  );
  return (
    <section className="panel questions" aria-labelledby="questions">
      <h2 id="questions">{words.title}</h2>
      <p className="muted">{words.hint}</p>
      {questions.isError && <Failure error={questions.error} retry={() => void questions.refetch()} />}
      {questions.data && questions.rows.length === 0 && <Empty title={words.empty} hint={words.emptyHint} />}
      {questions.rows.length > 0 && (
        <VirtualTable
          label={words.title}
          columns={columnsOf(words)}
          total={questions.rows.length}
          rowAt={(index) => questions.rows[index]}
          keyOf={({ id }) => id}
          shows={questions.shows}
          stale={questions.isPlaceholderData}
          wraps
        />
      )}
    </section>
  );
}

function columnsOf({ columns }: ReturnType<typeof useQuestionsWords>): Column<QuestionResource>[] {
  return [
    {
      name: 'at-cell',
      title: columns.at,
      width: '8.5rem',
      cell: ({ created_at: at }) => (
        <span className="muted">
          <Moment at={at} />
        </span>
      ),
    },
    {
      name: 'chat-cell',
      title: columns.chat,
      width: 'minmax(6rem, 10rem)',
      cell: ({ bot_id, chat_id, message_id: around }) => <ChatLink bot_id={bot_id} chat_id={chat_id} around={around} />,
    },
    {
      name: 'question-cell',
      title: columns.question,
      width: 'minmax(8rem, 2fr)',
      cell: ({ text, options }) => (
        <span className="question-text">
          <bdi>{text}</bdi> <bdi className="muted">{options.join(' · ')}</bdi>
        </span>
      ),
    },
    {
      name: 'answer-cell',
      title: columns.answer,
      width: 'minmax(8rem, 1fr)',
      cell: (question) => <Answered question={question} />,
    },
  ];
}

function Answered({ question }: { question: QuestionResource }): ReactNode {
  const words = useQuestionsWords();
  const { state, option, answered_by_name: name = '' } = question;
  const [cancels, setCancels] = useState(false);
  return (
    <span className={`state ${LOOKS[state]}`}>
      <StateMark state={LOOKS[state]} />
      <span className="question-text">
        {option === undefined ? words.states[state] : <bdi>{words.answered(option, name)}</bdi>}
        {state === 'open' && (
          <>
            {' '}
            <span className="muted">
              {words.until} <Moment at={question.expires_at} />
            </span>{' '}
            <Button kind="quiet" aria-label={words.cancelOf(question.text)} onClick={() => setCancels(true)}>
              {words.cancel}
            </Button>
          </>
        )}
      </span>
      {cancels && <Cancel question={question} close={() => setCancels(false)} />}
    </span>
  );
}

function Cancel({ question, close }: { question: QuestionResource; close: () => void }): ReactNode {
  const words = useQuestionsWords();
  const queries = useQueryClient();
  const cancel = useMutation({
    mutationFn: () => call('cancelQuestion', { id: question.id }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['questions'] });
      close();
    },
  });
  return (
    <Confirm
      title={words.cancelTitle}
      description={question.text}
      act={words.cancel.replace('…', '')}
      danger
      run={cancel.mutate}
      close={close}
      busy={cancel.isPending}
      error={cancel.error}
    />
  );
}

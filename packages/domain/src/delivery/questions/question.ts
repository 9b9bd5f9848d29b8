import type { Question } from '@flotilla/contract/questions.ts';

/** The text of the message once the question was settled: the question, and how it ended. */
export function settledText(question: Question): string {
  return `${question.text}\n\n${endOf(question)}`;
}

function endOf({ state, options, chosen, answered_by_name }: Question): string {
  switch (state) {
    case 'answered':
      return `✅ ${options[chosen ?? 0]} (${answered_by_name})`;
    case 'expired':
      return '⌛ Nobody answered in time.';
    case 'cancelled':
      return '✖️ Cancelled.';
    case 'open':
      return '';
  }
}

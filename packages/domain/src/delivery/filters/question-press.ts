import { type Fields, readInteger, readObject, readText } from '@flotilla/telegram/platform-fields.ts';

/** A press of a button of a question. */
export type QuestionPress = {
  queryId: string;
  questionId: number;
  nonce: string;
  /** The index of the option. */
  option: number;
  user: { id: number; name: string };
};

const DATA = /^flq:(\d{1,15}):([\w-]{22}):(\d)$/;

/** The data of the button of an option: at most 43 of the platform's 64 bytes. */
export function buttonData(question: { id: number; nonce: string }, option: number): string {
  return `flq:${question.id}:${question.nonce}:${option}`;
}

/** The press that an update of this kind is; null if it is none. Its nonce is not checked. */
export function readPress(kind: string, update: Fields): QuestionPress | null {
  if (kind !== 'callback_query') return null;
  return pressOf(readObject(update, kind) ?? {});
}

/** The same of a CallbackQuery. */
export function pressOf(query: Fields): QuestionPress | null {
  const [, questionId, nonce, option] = DATA.exec(readText(query, 'data') ?? '') ?? [];
  const from = readObject(query, 'from') ?? {};
  const [queryId, userId] = [readText(query, 'id'), readInteger(from, 'id')];
  if (questionId === undefined || nonce === undefined || queryId === null || userId === null) return null;
  const names = ['first_name', 'last_name'].map((field) => readText(from, field) ?? '').filter((name) => name !== '');
  return {
    queryId,
    questionId: Number(questionId),
    nonce,
    option: Number(option),
    user: { id: userId, name: names.join(' ') },
  };
}

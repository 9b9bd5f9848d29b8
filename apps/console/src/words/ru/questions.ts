import type { questions as en } from '../en/questions.ts';

export const questions: typeof en = {
  title: 'Вопросы',
  hint: 'Кого о чём спросили и что ответили. Программы спрашивают через POST /api/questions/add.',
  empty: 'Вопросов пока нет',
  emptyHint: 'Вопрос — это сообщение с кнопками. Первое нажатие — ответ, и другие получатели его не видят.',
  columns: { at: 'Задан', chat: 'Чат', question: 'Вопрос', answer: 'Ответ' },
  states: { open: 'Ждёт ответа', answered: 'Есть ответ', expired: 'Время вышло', cancelled: 'Отозван' },
  answered: (option, name) => `${option} (${name})`,
  until: 'до',
  cancel: 'Отозвать…',
  cancelOf: (question) => `Отозвать: ${question}`,
  cancelTitle: 'Отозвать этот вопрос?',
};

/** Questions to people in chats. */
export const questions = {
  title: 'Questions',
  hint: 'Who was asked what, and the answer. Programs ask with POST /api/questions/add.',
  empty: 'No questions yet',
  emptyHint: 'A question is a message with buttons. The first press answers it, and no other reader gets that press.',
  columns: { at: 'Asked', chat: 'Chat', question: 'Question', answer: 'Answer' },
  states: { open: 'Open', answered: 'Answered', expired: 'Expired', cancelled: 'Withdrawn' },
  answered: (option: string, name: string) => `${option} (${name})`,
  until: 'until',
  cancel: 'Withdraw…',
  cancelOf: (question: string) => `Withdraw: ${question}`,
  cancelTitle: 'Withdraw this question?',
};

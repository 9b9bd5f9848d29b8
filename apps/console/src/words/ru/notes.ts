import type { notes as en } from '../en/notes.ts';

export const notes: typeof en = {
  note: 'Заметка',
  write: 'Написать заметку',
  hint: 'Видит только команда. @ упоминает коллегу.',
  add: 'Добавить заметку',
  save: 'Сохранить',
  edit: 'Изменить',
  remove: 'Удалить',
  removeTitle: 'Удалить заметку?',
  menu: 'Действия с заметкой',
  edited: 'изменено',
  mentionList: 'Коллеги',
  mentionedYou: 'упоминает вас',
  acts: {
    chat_takeover: (who) => `${who}: перехват чата`,
    chat_release: (who) => `${who}: чат возвращён боту`,
    chat_done: (who) => `${who}: чат закрыт`,
    chat_reopen: (who) => `${who}: чат открыт снова`,
  },
  assigned: (who, to) => `${who}: чат назначен на ${to}`,
  tookIt: (who) => `${who}: чат назначен на себя`,
  unassigned: (who) => `${who}: назначение снято`,
  aRule: (id) => `Правило ${id}`,
  theOwner: 'Владелец аккаунта',
  you: 'Вы',
};

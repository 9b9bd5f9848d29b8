import type { Words } from '../en.ts';

export const savedViews: Words['savedViews'] = {
  title: 'Мои выборки',
  save: 'Сохранить выборку',
  name: 'Название',
  saveAct: 'Сохранить',
  menu: (name) => `Выборка ${name}`,
  rename: 'Переименовать…',
  renameTitle: 'Переименовать выборку',
  renameAct: 'Переименовать',
  remove: 'Удалить',
};

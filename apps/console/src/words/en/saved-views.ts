export const savedViews = {
  title: 'Saved views',
  save: 'Save view',
  name: 'Name',
  saveAct: 'Save',
  /** The menu of one. */
  menu: (name: string) => `View ${name}`,
  rename: 'Rename…',
  renameTitle: 'Rename the view',
  renameAct: 'Rename',
  remove: 'Delete',
};

import { cancelButton, closeDialog, showDialog } from './dialog.js';
import { element, named } from './elements.js';
import { post } from './server.js';
import { goTo, state, words } from './state.js';

/** The button for the dialog in which a person makes a group with the bot. */
export function openNewGroup(onChange) {
  return () => {
    const { bot, people, person } = state.phone;
    const title = element('input', { name: 'title', required: true, maxLength: 128, autocomplete: 'off', dir: 'auto' });
    const hasTopics = element('input', { type: 'checkbox' });
    const isAdmin = element('input', { type: 'checkbox' });
    const others = people.filter(({ id }) => id !== person.id);
    const boxes = others.map(({ id }) => element('input', { type: 'checkbox', value: String(id) }));
    const form = element(
      'form',
      {},
      element('label', {}, words().groupTitle, title),
      element('label', { className: 'check' }, hasTopics, words().withTopics),
      element('label', { className: 'check' }, isAdmin, element('span', { dir: 'auto' }, words().botIsAdmin(bot.name))),
      others.length === 0 ? null : peopleField(others, boxes),
      element('footer', {}, cancelButton(), element('button', { type: 'submit', className: 'main' }, words().create)),
    );
    form.addEventListener('submit', async (event) => {
      event.preventDefault();
      if (title.value.trim() === '') return;
      const chosen = boxes.filter(({ checked }) => checked).map(({ value }) => Number(value));
      const group = { title: title.value, hasTopics: hasTopics.checked, isAdmin: isAdmin.checked, people: chosen };
      closeDialog();
      const made = await post('/group', group);
      if (made === null) return;
      state.layer = 'chat';
      goTo({ chat: made.chat, topic: null });
      await onChange();
    });
    showDialog({ title: words().newGroup, parts: [form] });
    title.focus();
  };
}

function peopleField(people, boxes) {
  const rows = people.map(({ name }, at) => element('label', { className: 'check' }, boxes[at], named(name, 'cut')));
  return element('fieldset', {}, element('legend', {}, words().people), ...rows);
}

import { askName } from './dialog.js';
import { element } from './elements.js';
import { look, post } from './server.js';
import { goTo, state, words } from './state.js';

const NEW_PERSON = 'new';

/** Who writes: one of the people of the platform, or somebody new. */
export function writer(onChange) {
  const { person, people } = state.phone;
  const options = people.map(({ id, name }) =>
    element('option', { value: String(id), selected: id === person.id }, name),
  );
  const select = element(
    'select',
    { title: words().writeAs, data: { key: 'writer' } },
    ...options,
    element('option', { value: NEW_PERSON }, words().newPerson),
  );
  const become = async (id) => {
    goTo({ as: id }, { isStep: false });
    await onChange();
  };
  select.addEventListener('change', async () => {
    if (select.value !== NEW_PERSON) return become(select.value);
    select.value = String(person.id);
    askName(words().newPerson, words().personName, async (name) => {
      const made = await post('/person', { name });
      if (made !== null) await become(made.id);
      else await look();
    });
  });
  return element('label', { className: 'writer' }, element('span', { className: 'unseen' }, words().writeAs), select);
}

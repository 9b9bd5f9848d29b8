import { closeDialog, showDialog } from './dialog.js';
import { avatar, element, named } from './elements.js';
import { post } from './server.js';
import { state, words } from './state.js';

/** The dialog about a chat: who is in it, what the bot may read, and how one leaves. */
export function openChatInfo(onChange) {
  const act = async (path, body) => {
    if ((await post(path, body)) === null) return closeDialog();
    await onChange();
    draw().querySelector('button').focus();
  };
  const draw = () => {
    const { chat } = state.phone;
    const parts =
      chat.id === null ? [privacy(act), blocking(act)] : [members(act), adding(act), privacy(act), leaving(act)];
    return showDialog({
      title: chat.title,
      className: 'info-dialog',
      parts: parts.filter((one) => one !== null),
      hasClose: true,
    });
  };
  draw();
}

function members(act) {
  const { chat, bot, person } = state.phone;
  const sorted = [...chat.members].sort((one, other) => rank(one, bot) - rank(other, bot));
  const rows = sorted.map((member) => {
    const isBot = member.id === bot.id;
    const role = { creator: words().owner, administrator: words().admin }[member.status];
    const who = isBot ? { bot: true } : { person: member.id };
    const other = member.status === 'administrator' ? 'member' : 'administrator';
    const change = isBot
      ? button(other === 'member' ? words().makeMember : words().makeAdmin, () =>
          act('/member', { ...who, status: other }),
        )
      : null;
    const mayGo = member.status !== 'creator' && member.id !== person.id && (isBot || !member.isBot);
    const remove = mayGo ? button(words().takeOut, () => act('/member', { ...who, status: 'left' })) : null;
    return element(
      'li',
      {},
      avatar(member.id, member.name),
      element(
        'span',
        { className: 'chat-text' },
        named(member.name, 'cut'),
        element(
          'span',
          { className: 'muted small cut' },
          [member.username && `@${member.username}`, member.isBot && words().bot, role].filter(Boolean).join(', '),
        ),
      ),
      element('span', { className: 'member-acts' }, change, remove),
    );
  });
  return element('ul', { className: 'members' }, ...rows);
}

/** The owner first, then the bot, then admins. */
function rank({ id, status }, bot) {
  if (status === 'creator') return 0;
  if (id === bot.id) return 1;
  return status === 'administrator' ? 2 : 3;
}

/** People who are not in the group yet, and the bot if it is not. */
function adding(act) {
  const { chat, bot, people } = state.phone;
  const isIn = (id) => chat.members.some((member) => member.id === id);
  const choices = [...(chat.hasBot ? [] : [{ id: bot.id, name: bot.name }]), ...people.filter(({ id }) => !isIn(id))];
  if (choices.length === 0) return null;
  const select = element(
    'select',
    {},
    ...choices.map(({ id, name }) => element('option', { value: String(id) }, name)),
  );
  const add = () => {
    const id = Number(select.value);
    return act('/member', { ...(id === bot.id ? { bot: true } : { person: id }), status: 'member' });
  };
  return element(
    'div',
    { className: 'adding' },
    element('label', {}, words().addPerson, select),
    button(words().add, add),
  );
}

function privacy(act) {
  const { bot } = state.phone;
  const box = element('input', { type: 'checkbox', checked: bot.privacy });
  box.addEventListener('change', () => act('/privacy', { privacy: box.checked }));
  return element(
    'div',
    { className: 'setting' },
    element('label', { className: 'check' }, box, words().privacy),
    element('p', { className: 'muted small' }, bot.privacy ? words().privacyOn : words().privacyOff),
  );
}

function blocking(act) {
  const { blocked } = state.phone.chat;
  return element(
    'footer',
    {},
    button(blocked ? words().unblock : words().block, () => act('/block', { blocked: !blocked })),
  );
}

function leaving(act) {
  const { person, chat } = state.phone;
  if (!chat.isIn) return null;
  return element(
    'footer',
    {},
    button(words().leave, () => act('/member', { person: person.id, status: 'left' })),
  );
}

function button(text, onclick) {
  return element('button', { type: 'button', onclick }, text);
}

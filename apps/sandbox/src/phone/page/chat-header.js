import { openChatInfo } from './chat-info.js';
import { askName } from './dialog.js';
import { avatar, element, iconButton, named, redraw } from './elements.js';
import { post } from './server.js';
import { goTo, part, state, words } from './state.js';
import { writer } from './writer.js';

/** The name of the chat, what it is, and the topics of a forum. */
export function showChatHeader({ onChange, onMove, onBack }) {
  const { chat, bot, person, people } = state.phone;
  const { id, title, topics, topic, isForum, members } = chat;
  const shown = [id, title, topics, topic, isForum, members, bot, person, people, state.language];
  redraw(part('chat-header'), shown, () => [
    iconButton('back', words().back, onBack, { className: 'icon-button to-list', data: { key: 'back' } }),
    avatar(id ?? bot.id, title),
    element(
      'div',
      { className: 'chat-name' },
      element('h1', { className: 'cut' }, named(title)),
      element('p', { className: 'cut muted small' }, id === null ? `@${bot.username}` : aboutGroup()),
    ),
    writer(onMove),
    iconButton('info', words().about, () => openChatInfo(onChange), { data: { key: 'info' } }),
    isForum || topics.length > 0 ? topicTabs(onMove) : null,
  ]);
}

function aboutGroup() {
  const { chat } = state.phone;
  return words().members(chat.members.length);
}

function topicTabs(onChange) {
  const { topics, topic } = state.phone.chat;
  const all = [{ topic: 0, name: words().general }, ...topics];
  const tabs = all.map((one) => {
    const name = one.isClosed ? `${one.name} (${words().closedTopic})` : one.name;
    const isOpen = one.topic === topic;
    const button = element(
      'button',
      { type: 'button', ariaCurrent: isOpen ? 'true' : null, data: { key: `topic ${one.topic}` } },
      named(name, 'cut'),
    );
    button.addEventListener('click', async () => {
      goTo({ topic: one.topic === 0 ? null : one.topic });
      await onChange();
    });
    return element('li', {}, button);
  });
  const make = () =>
    askName(words().newTopic, words().topicName, async (name) => {
      const made = await post('/topic', { name });
      if (made === null) return;
      goTo({ topic: made.topic });
      await onChange();
    });
  const add = iconButton('plus', words().newTopic, make, { data: { key: 'new-topic' } });
  return element(
    'nav',
    { className: 'topics', ariaLabel: words().topics },
    element('ul', { className: 'topic-list' }, ...tabs, element('li', {}, add)),
  );
}

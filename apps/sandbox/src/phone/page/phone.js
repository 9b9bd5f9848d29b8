import { showChatHeader } from './chat-header.js';
import { outside, showChatList } from './chat-list.js';
import { aboutMessage, prepareComposer, showComposer } from './composer.js';
import { toast } from './dialog.js';
import { avatar, element, named, redraw } from './elements.js';
import { prepareMessages, showMessages } from './message-list.js';
import { prepareMenu } from './message-menu.js';
import { look, say } from './server.js';
import { goTo, part, state, words } from './state.js';

const LOOK_EVERY_MS = 700;

prepareComposer(update);
prepareMessages();
prepareMenu(aboutMessage);
addEventListener('acted', update);
addEventListener('popstate', async (event) => {
  state.layer = event.state?.layer ?? 'chat';
  await update();
});
addEventListener('keydown', (event) => {
  // A reader of the messages who types writes to the bot.
  const isText = event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey && event.key !== ' ';
  if (isText && [document.body, part('log')].includes(document.activeElement)) part('text').focus();
});
await update();
part('text').focus();
for (;;) {
  await new Promise((done) => setTimeout(done, LOOK_EVERY_MS));
  if (!document.hidden && (await look())) show();
}

async function update() {
  await look();
  show();
}

function show() {
  document.documentElement.lang = state.language;
  document.body.dataset.layer = state.layer;
  part('log').ariaLabel = words().messages;
  part('chat').hidden = state.phone === null;
  if (state.phone === null) return showBots();
  document.title = words().title(state.phone.person.name);
  showChatHeader({ onChange: update, onMove: moved, onBack: () => toLayer('list') });
  showChatList({ onChange: moved, onLanguage: changeLanguage });
  showMessages();
  showAction();
  showComposer();
}

/** Without a bot the page offers those that there are. */
function showBots() {
  const query = new URLSearchParams(location.search);
  const linkTo = ({ id, name, username }) => {
    query.set('bot', username);
    const text = element(
      'span',
      { className: 'chat-text' },
      named(name, 'cut chat-title'),
      named(`@${username}`, 'cut muted small'),
    );
    return element('li', {}, element('a', { className: 'chat-row', href: `?${query}` }, avatar(id, name), text));
  };
  state.layer = 'list';
  document.body.dataset.layer = 'list';
  const { bots, consoleUrl } = state;
  const reason = consoleUrl === null ? part('notice').textContent : words().noBot;
  redraw(part('chats'), [bots, consoleUrl, reason, state.language], () => [
    element('header', {}, element('h1', {}, bots.length > 0 ? words().whichBot : reason)),
    element('nav', {}, element('ul', {}, ...bots.map(linkTo))),
    ...(consoleUrl === null ? [] : [outside(consoleUrl, changeLanguage)]),
  ]);
}

/** Somebody went to another chat, or writes as somebody else. */
async function moved() {
  state.about = null;
  say('');
  toast('');
  await update();
  part('text').focus();
}

function toLayer(layer) {
  state.layer = layer;
  goTo({});
  show();
  part('chats').querySelector('[aria-current]')?.focus();
}

function changeLanguage() {
  state.language = state.language === 'en' ? 'ru' : 'en';
  say('');
  show();
}

/** The present act of the bot: that it writes, or its text so far. */
function showAction() {
  const { chat, bot } = state.phone;
  const does = chat.action === null ? '' : words().acts(bot.name, words().actions[chat.action] ?? words().sendsFile);
  const text = chat.draft || does;
  const action = part('action');
  action.className = chat.draft ? 'draft' : '';
  if (action.textContent !== text) action.textContent = text;
}

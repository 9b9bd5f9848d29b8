import { plurals } from '../plural.ts';

const plural = plurals('en');

export const addBot = {
  title: 'Add a bot',
  steps: 'Steps',
  stepToken: 'Token and updates',
  stepProgram: 'Connect its program',
  notYours: 'Only an administrator of all bots adds bots.',
  token: 'Token',
  tokenHint: '@BotFather gives it to you. It is not shown again, and not kept in this browser.',
  malformed: 'A token looks like 123456:secret, without spaces.',
  checking: 'Asking the platform…',
  known: (name: string) => `This is ${name}`,
  way: 'How does its program get updates?',
  ways: { pull: 'It polls', push: 'By webhook', none: 'There is no program' },
  wayHints: {
    pull: 'The program keeps getUpdates, through Flotilla. Only its API root changes.',
    push: 'Flotilla sends each update to a URL of the program, again until it is taken.',
    none: 'Just history: people read and answer in the console.',
  },
  url: 'Backend URL',
  urlHint: 'Where the program takes updates by POST. It begins with http:// or https://.',
  submit: 'Add the bot',
  added: 'The bot is added.',
  connect: (name: string) => `Connect the program of ${name}`,
  change: {
    pull: 'Change one line in the program, and start it again. It polls as before.',
    push: 'Flotilla sends updates to the backend URL now. Change one line, so that calls of the program go through Flotilla as well and are kept.',
    none: 'If a program sends as this bot, change one line in it, so that what it sends is kept in the history.',
  },
  libraries: 'Line by library',
  otherLibrary: 'Any other: API root',
  copyLine: (library: string) => `Copy the line for ${library}`,
  first: 'First update',
  waiting: 'Waiting for the first update…',
  waitingHint: (username: string) => `Write something to @${username}. It appears here.`,
  write: 'Open the bot in Telegram',
  arrived: 'The first update is here.',
  taken: 'Your program took it.',
  takenAfter: (ms: string) => `Your program took it, ${ms} ms later.`,
  said: (name: string) => `${name} wrote`,
  inLine: (n: number) =>
    plural(n, { one: '{n} update waits for the program.', other: '{n} updates wait for the program.' }),
  openBot: 'Open the bot',
  another: 'Add another bot',
};

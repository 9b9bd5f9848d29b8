import type { ErrorCode } from '@flotilla/contract/errors.ts';
import { access } from './en/access.ts';
import { audit } from './en/audit.ts';
import { chart } from './en/chart.ts';
import { inbox } from './en/inbox.ts';
import { live } from './en/live.ts';
import { outages } from './en/outages.ts';
import { chat, person, search, statistics } from './en/people.ts';
import { plurals } from './plural.ts';

const plural = plurals('en');

/** What the console says. The other catalogs have the same form, which the compiler checks. */
export const words = {
  language: 'en',
  product: 'Flotilla',
  skipToContent: 'Skip to the content',
  close: 'Close',
  cancel: 'Cancel',
  tryAgain: 'Try again',
  done: 'Done',
  copy: 'Copy',
  copied: 'Copied',
  /** Of a list that holds still under the pointer. */
  rows: {
    news: (n: number) => plural(n, { one: '{n} new', other: '{n} new' }),
    changed: 'Show what has changed',
  },
  copyByHand: {
    title: 'Copy it by hand',
    hint: 'The browser does not let this page copy. That is so where it is opened without TLS. The text is selected: press Ctrl C.',
    text: 'Text',
  },
  clearField: (name: string) => `Clear: ${name}`,

  access,
  audit,
  chat,
  person,
  search,
  statistics,

  nav: {
    label: 'Screens',
    fleet: 'Fleet',
    inbox: 'Inbox',
    deliveries: 'Deliveries',
    live: 'Live',
    search: 'Search',
    audit: 'Audit',
    access: 'Access',
    system: 'System',
    queues: 'Queues',
    document: 'API document',
    sandbox: 'Write as a person',
  },

  preferences: {
    open: 'Appearance and language',
    theme: 'Theme',
    themes: { system: 'As the system', light: 'Light', dark: 'Dark' },
    language: 'Language',
    keys: 'Single-key shortcuts',
    compact: 'Compact rows',
  },

  account: {
    open: (name: string) => `Account of ${name}`,
    roles: { admin: 'Administrator', user: 'User' },
    changePassword: 'Change password…',
    signOut: 'Sign out',
  },

  shortcuts: {
    title: 'Keyboard shortcuts',
    open: 'Keyboard shortcuts…',
    palette: 'Go to anything',
    goTo: (screen: string) => `Go to: ${screen}`,
    tabs: 'Previous and next tab',
    filter: 'Filter the list',
    rows: 'Next and previous row',
    enter: 'Open the row',
    select: 'Select the row',
    again: 'Reply to the message; send the delivery again',
    save: 'Save the settings of the bot',
    back: 'Back, or close',
    list: 'This list',
  },

  palette: {
    open: 'Search or go to…',
    label: 'Go to a screen, a bot or an action',
    nothing: 'Nothing has this name',
    results: (n: number) => plural(n, { one: '{n} result', other: '{n} results' }),
    theme: (name: string) => `Theme: ${name}`,
  },

  signIn: {
    title: 'Sign in',
    again: 'Sign in again',
    ended: 'Your session has ended. Sign in to go on: the page stays as it is.',
    username: 'Username',
    password: 'Password',
    show: 'Show the password',
    submit: 'Sign in',
    wrong: 'The username or the password is wrong.',
    help: 'Where is the password?',
    helpText:
      'In a sandbox, npm start prints it in its terminal. Elsewhere the first administrator’s is ADMIN_PASSWORD; without that setting the api prints one at its first start. Administrators make all other accounts.',
    limited: (minutes: number) =>
      plural(minutes, {
        one: 'Too many failed attempts. Try again in {n} minute.',
        other: 'Too many failed attempts. Try again in {n} minutes.',
      }),
  },

  password: {
    title: 'Change your password',
    forced: 'An administrator set your password. Choose your own to go on.',
    old: 'Current password',
    new: 'New password',
    hint: 'At least 10 characters. Common passwords are refused.',
    submit: 'Change password',
    wrongOld: 'This is not your current password.',
    short: 'The password needs at least 10 characters.',
    refused: 'This password is one of the most common, or the current one. Choose another.',
    changed: 'The password is changed. Your other sessions have ended.',
  },

  errors: {
    title: 'This did not work',
    network: 'Flotilla cannot be reached. Is the network there?',
    unavailable: 'A store of Flotilla is away. Delivery goes on; what you see may be old.',
    forbidden: 'Your account may not do this.',
    internal: 'Flotilla could not answer.',
    /** What each code says, where the sentence of the api is in another language. */
    codes: null as Record<ErrorCode, string> | null,
    /** A sentence of the api, or what it says of a field; null: it is in another language, and not known. */
    inWords: (sentence: string): string | null => sentence,
    request: (id: string) => `Request ${id}`,
    notFound: 'There is no such page',
    notFoundHint: 'The address may be wrong, or what it showed is gone.',
    toFleet: 'To the fleet',
    platform: {
      blocked: 'The person has blocked the bot.',
      deactivated: 'The account of this person is deleted.',
      kicked: 'The bot is not in this chat any more.',
      owner: 'Nobody can do this to the owner of the chat.',
      administrator: 'The person is an administrator: take that away first.',
      rights: 'The bot may not do this here. Make it an administrator of the chat with this right.',
      absent: 'The person is not in this chat.',
      self: 'The bot cannot do this to itself.',
      chat: 'The platform does not know this chat, or the bot was never in it.',
      kind: 'This works in supergroups and channels only.',
    },
  },

  states: {
    ok: 'Working',
    failing: 'Failing',
    open: 'Backend down',
    disabled: 'Disabled',
    not_polled: 'No intake',
  },
  stateHints: {
    ok: 'Updates come in and are delivered.',
    failing: 'The last attempts at the backend failed; updates are tried again.',
    open: 'The backend has failed for 10 s. It gets a probe now and then, and updates wait.',
    disabled: 'The bot is switched off. What waits is kept.',
    not_polled: 'The bot is enabled, but no updates come in.',
  },

  fleet: {
    title: 'Fleet',
    all: 'All',
    states: 'Bots by state',
    attention: 'Needs attention',
    more: (n: number) => plural(n, { one: 'and {n} more', other: 'and {n} more' }),
    waiting: (n: number) => plural(n, { one: '{n} waits', other: '{n} wait' }),
    noUpdates: 'No updates come in.',
    figures: 'Figures of the fleet',
    in: 'Came in',
    delivered: 'Delivered',
    failed: 'Failed attempts',
    pending: 'Waiting',
    dead: 'Given up',
    perSecond: (rate: string) => `${rate}/s`,
    taken: 'Taken',
    filter: 'Filter',
    filterHint: 'Name or @username',
    clear: 'Clear the filter',
    list: 'Bots',
    count: (n: number) => plural(n, { one: '{n} bot', other: '{n} bots' }),
    columns: {
      state: 'State',
      name: 'Name',
      username: 'Username',
      intake: 'Takes in',
      readers: 'Gives to',
      pending: 'Waiting',
      last: 'Last update',
    },
    intake: { polled: 'by polling', pushed: 'by webhook' },
    readers: { push: 'backend', pull: 'pollers', both: 'backend, pollers', none: 'nobody' },
    never: 'never',
    noMatch: 'No bot matches the filter.',
    empty: 'There are no bots yet.',
    add: 'Add bot',
    addFirst: 'Add the first bot',
    addHint: 'Paste its token, choose how its program gets updates, change one line in the program.',
    emptyUser: 'An administrator gives you bots.',
  },

  live,
  chart,
  inbox,

  bot: {
    back: 'Fleet',
    tabs: {
      label: 'Views of this bot',
      overview: 'Overview',
      chats: 'Chats',
      live: 'Live',
      deliveries: 'Deliveries',
      programs: 'Programs',
      rules: 'Rules',
      statistics: 'Statistics',
      settings: 'Settings',
    },
    gone: 'There is no such bot, or it is not among yours.',
    settings: 'Settings',
    yes: 'on',
    no: 'off',
    none: 'none',
    fields: {
      id: 'Id',
      intake: 'Takes in',
      backend: 'Backend',
      secret: 'Secret token',
      connections: 'Updates at the same time',
      proxy: 'Forwarding to the backend',
      longPoll: 'Long polling',
      manage: 'History, rules, chat management',
      kinds: 'Kinds of updates',
      allKinds: 'the default of the platform',
      source: 'Added',
      sources: { web: 'by the API', cli: 'by its program or a command' },
      description: 'Description',
      created: 'Registered',
    },
    pending: 'Waiting',
    last: 'Last update',
    lastError: 'Last error',
    error: 'Error',
    readers: {
      title: 'Readers',
      nobody: 'Nobody reads the updates of this bot.',
      names: { push: 'Backend', pull: 'Pollers', rules: 'Routing rules' },
      consumer: 'consumer',
      program: (name: string) => `Program: ${name}`,
      states: {
        ok: 'Reads',
        failing: 'Failing',
        open: 'Down, gets probes',
        paused: 'Paused',
        parked: 'Parked',
        off: 'Off',
      },
      picture: 'How far the readers are in the log.',
      oldestUnread: 'Oldest that waits',
      newest: 'Newest update',
      upToDate: 'Up to date',
      behind: (n: number) => plural(n, { one: '{n} update behind', other: '{n} updates behind' }),
      oldest: 'the oldest came',
      tryNow: 'Try now',
      forget: 'Forget',
      forgetTitle: (name: string) => `Forget the consumer ${name}?`,
      forgetHint: (keeps: string) =>
        `Its place is lost, and so are the updates that are kept for it alone: ${keeps} now.`,
    },
    attempts: 'Last attempts',
    noAttempts: 'Nothing has been sent to the backend yet.',
    columns: { at: 'Sent', result: 'Answer', duration: 'Took', update: 'Update' },
    noAnswer: 'no answer',
    attempt: (id: string) => `Attempt for update ${id}`,
    ms: (n: string) => `${n} ms`,
  },

  outages,
};

export type Words = typeof words;

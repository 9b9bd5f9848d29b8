import type { ErrorCode } from '@flotilla/contract/errors.ts';
import { access } from './en/access.ts';
import { audit } from './en/audit.ts';
import { bot } from './en/bot.ts';
import { chart } from './en/chart.ts';
import { fleet } from './en/fleet.ts';
import { inbox } from './en/inbox.ts';
import { live } from './en/live.ts';
import { editConflict, outages, quarantine, readOnly } from './en/outages.ts';
import { chat, person, search, statistics } from './en/people.ts';
import { savedViews } from './en/saved-views.ts';
import { plurals } from './plural.ts';

const plural = plurals('en');

/** All texts of the console. The other catalogs have the same form, which the compiler checks. */
export const words = {
  language: 'en',
  product: 'Flotilla',
  skipToContent: 'Skip to the content',
  close: 'Close',
  toast: { undo: 'Undo', failed: 'It could not be undone: look at how it is now.' },
  cancel: 'Cancel',
  tryAgain: 'Try again',
  done: 'Done',
  copy: 'Copy',
  copied: 'Copied',
  /** Of a list that holds still under the pointer. */
  rows: {
    news: (n: number) => plural(n, { one: '{n} new', other: '{n} new' }),
    changed: 'Show changes',
  },
  copyByHand: {
    title: 'Copy it by hand',
    hint: 'The browser blocks copying on pages without HTTPS. The text is selected: press Ctrl C.',
    text: 'Text',
  },
  /** Of a secret that nobody can look up later. */
  once: {
    hint: 'Copy it now: you won’t see it again.',
    kept: 'I have saved it',
    leaveTitle: 'Leave without saving it?',
    leaveHint: 'You won’t see it again.',
    leave: 'Leave',
    stay: 'Stay here',
  },
  period: {
    label: 'Period',
    any: 'Any time',
    presets: {
      hour: 'Last hour',
      today: 'Today',
      yesterday: 'Yesterday',
      week: 'Last 7 days',
      month: 'Last 30 days',
      quarter: 'Last 90 days',
    },
    own: 'From … to …',
    from: 'From',
    to: 'Before',
    form: 'YYYY-MM-DD HH:MM',
    unread: 'Enter a date, with a time if you like: 2026-11-27 14:30, or 14:30 for today.',
  },
  pick: { byId: 'by its id' },
  /** A sentence of the api about what happened or is wrong. */
  told: (sentence: string): string => sentence,
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
    outbox: 'Outbox',
    broadcasts: 'Broadcasts',
    deliveries: 'Deliveries',
    events: 'Events',
    live: 'Live',
    search: 'Search',
    audit: 'Audit',
    access: 'Access',
    system: 'System',
    queues: 'Queues',
    document: 'API docs',
    sandbox: 'Try it as a user',
    more: 'More',
  },

  preferences: {
    open: 'Appearance and language',
    theme: 'Theme',
    themes: { system: 'System', light: 'Light', dark: 'Dark' },
    language: 'Language',
    keys: 'Single-key shortcuts',
    compact: 'Compact rows',
    enterSends: 'Enter sends messages',
    notices: 'Notifications of new messages',
    noticesOf: { off: 'None', names: 'Who wrote', texts: 'Who wrote what' },
    noticesRefused: 'The browser blocks notifications from this page.',
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
    again: 'Reply to the message; redeliver the update',
    save: 'Save the settings of the bot',
    nextChat: 'Next and previous chat',
    takeOver: 'Take over the chat for an hour',
    mine: 'Assign the chat to me',
    resolve: 'Resolve or reopen the chat',
    note: 'Write a note',
    quickReply: 'Saved reply',
    back: 'Back, or close',
    list: 'This list',
  },

  palette: {
    open: 'Search or go to…',
    label: 'Go to a screen, a bot, a chat, a person, a message or an action',
    nothing: 'No results',
    looking: 'Searching…',
    groups: {
      bots: 'Bots',
      actions: 'Screens and actions',
      settings: 'Settings',
      chats: 'Chats',
      people: 'People',
      rules: 'Rules',
      messages: 'Messages',
    },
    allMessages: (text: string) => `All messages with “${text}”`,
    whichBot: (setting: string) => `${setting}: of which bot?`,
    results: (n: number) => plural(n, { one: '{n} result', other: '{n} results' }),
    theme: (name: string) => `Theme: ${name}`,
  },

  signIn: {
    title: 'Sign in',
    again: 'Sign in again',
    ended: 'Your session has ended. Sign in to continue; the page stays as it is.',
    username: 'Username',
    password: 'Password',
    show: 'Show password',
    submit: 'Sign in',
    by: (name: string) => `Sign in with ${name}`,
    localAdmin: 'Sign in as the local administrator',
    passwordsOff: 'Passwords are switched off. Use the button above.',
    /** Why the identity provider brought nobody back. */
    refusals: {
      provider_away: 'The identity provider does not answer. Try again later, or sign in with a password.',
      not_begun: 'This sign-in was not begun in this browser, or it took too long. Begin again.',
      denied: 'The identity provider did not sign you in.',
      failed:
        'What the identity provider answered cannot be trusted. Begin again; if that does not help, tell an administrator.',
      no_account: 'You have no account here. Ask an administrator for one.',
      username_taken: 'Another account has your username. Ask an administrator to link it to you.',
    },
    wrong: 'Wrong username or password.',
    code: 'Code from your authenticator app',
    codeHint: 'Without the app: one of your recovery codes.',
    codeWrong: 'The code is wrong, or it was used. Wait for the next one.',
    passkey: 'Use a passkey',
    noPasskey: 'No passkey was used. Try again, or type a code.',
    help: 'Where do I find the password?',
    helpText:
      'In a sandbox, npm start prints it in its terminal. Elsewhere the first administrator’s is ADMIN_PASSWORD; without that setting the api prints one at its first start. Administrators make all other accounts.',
    linkEnded:
      'The link was used, or it has ended. Sign in with the password, or make another one with flotilla sign-in-link.',
    limited: (minutes: number) =>
      plural(minutes, {
        one: 'Too many failed attempts. Try again in {n} minute.',
        other: 'Too many failed attempts. Try again in {n} minutes.',
      }),
  },

  password: {
    title: 'Change your password',
    forced: 'An administrator set your password. Choose your own to continue.',
    old: 'Current password',
    new: 'New password',
    hint: 'At least 10 characters. Common passwords are refused.',
    submit: 'Change password',
    wrongOld: 'This is not your current password.',
    short: 'The password needs at least 10 characters.',
    refused: 'This password is one of the most common, or the current one. Choose another.',
    changed: 'Password changed. Your other sessions have ended.',
  },

  errors: {
    title: 'Something went wrong',
    network: 'Flotilla cannot be reached. Check your connection.',
    unavailable: 'Storage is unavailable. Delivery continues; what you see may be out of date.',
    forbidden: 'Your account has no permission to do this.',
    internal: 'Flotilla could not answer.',
    /** The sentence of each code, where that of the api is in another language. */
    codes: null as Record<ErrorCode, string> | null,
    /** A sentence of the api, or what it says of a field; null: it is in another language, and not known. */
    inWords: (sentence: string): string | null => sentence,
    /** Of a field that is empty. */
    required: 'This field is required.',
    request: (id: string) => `Request ${id}`,
    notFound: 'Page not found',
    notFoundHint: 'The address may be wrong, or the page no longer exists.',
    toFleet: 'Go to the fleet',
    platform: {
      blocked: 'The person has blocked the bot.',
      deactivated: 'The account of this person is deleted.',
      kicked: 'The bot is not in this chat any more.',
      owner: 'Nobody can do this to the owner of the chat.',
      administrator: 'The person is an administrator: take that away first.',
      rights: 'The bot may not do this here. Make it an administrator of the chat with this right.',
      absent: 'The person is not in this chat.',
      self: 'The bot cannot do this to itself.',
      chat: 'Telegram does not know this chat, or the bot was never in it.',
      kind: 'This works in supergroups and channels only.',
    },
  },

  /** A bot in one word: what is wrong with it, or that nothing is. */
  marks: {
    ok: 'Working',
    disabled: 'Disabled',
    token_revoked: 'Token revoked',
    foreign_webhook: 'Webhook set elsewhere',
    intake_failing: 'Not receiving updates',
    intake_paused: 'Receiving paused',
    platform_unreachable: 'Telegram unreachable',
    move_stuck: 'Move stuck',
    backend_open: 'Backend unreachable',
    sends_held: 'Messages on hold',
    flood: 'Rate limited by Telegram',
    backend_failing: 'Backend fails',
    poller_silent: 'No program is polling',
    program_parked: 'Program parked',
    program_silent: 'Program is not polling',
    program_failing: 'Program fails',
    forwarding_off: 'Forwarding off',
    nobody_reads: 'No program connected',
  },
  markHints: {
    ok: 'Updates are received and read.',
    disabled: 'The bot is disabled. Queued updates are kept.',
    token_revoked: 'Telegram refuses the token. Replace it with the new one from BotFather.',
    foreign_webhook:
      'Another service has the token and set its own webhook: it receives the updates, and this fleet receives none.',
    intake_failing: 'The bot is enabled, but no updates arrive.',
    intake_paused: 'No updates are accepted until there is room. Telegram keeps them for 24 hours.',
    platform_unreachable: 'Its calls do not reach Telegram. Messages wait and are retried.',
    move_stuck: 'The move to another Bot API server does not go on.',
    backend_open: 'The backend has failed for 10 s. Updates wait, and it is retried automatically.',
    sends_held: 'Whoever added these messages may no longer send. An admin can release or cancel them in the outbox.',
    flood: 'Telegram refuses some calls for a while.',
    backend_failing: 'Recent attempts failed; updates are retried.',
    poller_silent: 'Updates wait, and no program has polled for longer than the settings allow.',
    program_parked: 'A program fell too far behind; what was queued for it failed.',
    program_silent: 'Updates wait for a program that is not polling.',
    program_failing: 'The backend of a program fails; its updates wait.',
    forwarding_off: 'There is a backend, but updates are not forwarded to it.',
    nobody_reads: 'No backend, program or rule reads the updates.',
  },

  fleet,

  live,
  chart,
  inbox,
  savedViews,

  bot,

  editConflict,
  outages,
  quarantine,
  readOnly,
};

export type Words = typeof words;

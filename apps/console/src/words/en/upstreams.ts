import { plurals } from '../plural.ts';

const plural = plurals('en');

export const upstreams = {
  title: 'Bot API servers',
  hint: 'Bots are at Telegram’s own server unless they name one of these: a local one, one behind a proxy, or the test environment.',
  empty: 'No other servers',
  emptyHint: 'Add a local Bot API server for files of up to 2 GB, or a way to Telegram where it is blocked.',
  add: 'Add…',
  edit: 'Edit…',
  remove: 'Delete…',
  removeTitle: (name: string) => `Delete ${name}?`,
  removeHint: 'Only a server without bots can be deleted.',
  removeAct: 'Delete',
  states: { ok: 'Answers', failing: 'Does not answer', unknown: 'Not called lately' },
  bots: (n: number) => plural(n, { one: '{n} bot', other: '{n} bots' }),
  test: 'test environment',
  form: {
    add: 'Add a Bot API server',
    edit: 'Change the Bot API server',
    save: 'Save',
    name: 'Name',
    nameHint: 'Bots, metrics and messages name it so. It never changes. a-z, 0-9, _ and -.',
    url: 'URL',
    urlHint: 'For example http://bot-api:8081. Private addresses must be in UPSTREAM_ALLOWED_CIDRS.',
    environment: 'Environment',
    environments: { production: 'Production', test: 'Test' },
    environmentHints: { production: '', test: 'Bots of Telegram’s test servers.' },
    proxy: 'Proxy',
    proxyHint: 'http://, https:// or socks5://. Empty: that of TELEGRAM_PROXY. direct: none.',
    webhookUrl: 'Address of Flotilla for this server',
    webhookUrlHint: 'Where it pushes updates in webhook mode, for example http://flotilla-api:8080. Empty: PUBLIC_URL.',
    files: 'Files of a local server',
    filesHint: 'Its working directory as Flotilla sees it, or a URL that serves it. Empty: it serves files itself.',
    uploads: 'Directory for uploads by file:',
    uploadsHint: 'On the disk of the server. Programs with the right local_files may send what is below it.',
  },
};

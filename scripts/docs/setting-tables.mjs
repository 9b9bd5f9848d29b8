import { SETTINGS as oneProcessSettings } from '../../apps/flotilla/src/config.ts';
import { backupSettings } from '../../apps/maintenance/src/maintenance-settings.ts';
import { SETTINGS as sandboxSettings } from '../../apps/sandbox/src/config.ts';
import { apiSettings } from '../../packages/domain/src/startup/api-settings.ts';
import { workerSettings } from '../../packages/domain/src/startup/worker-settings.ts';
import { table } from './table.mjs';

/** Every setting with a rule refuses these values; its error message is the rule, in the words that users see. */
const IMPOSSIBLE = ['?', '?'.repeat(1_000)];

/** Every setting, by who reads it. */
export function groupedSettings() {
  const [api, worker] = [apiSettings.shape, workerSettings.shape];
  const only = (settings, ...others) => without(settings, (name) => others.some((other) => name in other));
  return {
    'settings of api and worker': without(api, (name) => !(name in worker)),
    'settings of the api': only(api, worker),
    'settings of the worker': only(worker, api),
    'settings of backups': backupSettings.shape,
    'settings of the one process': only(oneProcessSettings.shape, api, worker),
    'settings of the sandbox': only(sandboxSettings.shape, api, worker),
  };
}

export function settingTables() {
  return Object.fromEntries(Object.entries(groupedSettings()).map(([name, group]) => [name, settingTable(group)]));
}

function without(settings, left) {
  return Object.fromEntries(Object.entries(settings).filter(([name]) => !left(name)));
}

function settingTable(settings) {
  const rows = Object.entries(settings).map(([name, schema]) => {
    if (!schema.description) throw new Error(`the setting ${name} has no description in its schema`);
    return [`\`${name}\``, defaultOf(schema), rangeOf(schema), linked(schema.description)];
  });
  return table(['Setting', 'Default', 'Values', 'Meaning'], rows);
}

/** Links each page of the handbook that a description names. */
function linked(description) {
  return description.replaceAll(/\b[\w-]+\.md\b/g, (page) => `[${page}](${page})`);
}

function defaultOf(schema) {
  const text = defaultText(schema);
  if (text === null) return 'required';
  return text === '' ? '–' : `\`${text}\``;
}

/** The default as the environment would have it, '' for none; null for a required setting. */
export function defaultText(schema) {
  const { success, data } = schema.safeParse(undefined);
  if (!success) return null;
  const text = typeof data === 'boolean' ? String(Number(data)) : Array.isArray(data) ? data.join(',') : data;
  return text === undefined || typeof text === 'object' ? '' : String(text);
}

/** The values that a setting takes, in the words of its errors. */
export function rangeOf(schema) {
  const issues = IMPOSSIBLE.flatMap((value) => schema.safeParse(value).error?.issues ?? []);
  const rules = issues.map(({ message }) => message.replace(/^is required: /, '').replace(/^must be /, ''));
  return [...new Set(rules)].join('; ') || 'any text';
}

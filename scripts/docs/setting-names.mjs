import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { backupSettings } from '../../apps/maintenance/src/maintenance-settings.ts';
import { SETTINGS as demoBotSettings } from '../../apps/sandbox/src/demo-bot/config.ts';
import { SETTINGS as simulatorSettings } from '../../apps/simulator/src/config.ts';
import { groupedSettings } from './setting-tables.mjs';

const BIOME = fileURLToPath(new URL('../../node_modules/.bin/biome', import.meta.url));
/** The names that compose reads from the same file, and tools from the same environment. */
const IN_COMPOSE = /\$\{([A-Z][A-Z0-9_]+)/g;
const OF_TOOLS = ['FLOTILLA_API_KEY', 'FLOTILLA_KEY'];

/** packages/runtime/src/setting-names.ts: every name that some program of ours reads. */
export function settingNames(root) {
  const compose = readFileSync(join(root, 'docker-compose.yml'), 'utf8');
  const groups = [
    ...Object.values(groupedSettings()),
    backupSettings.shape,
    demoBotSettings.shape,
    simulatorSettings.shape,
  ];
  const names = [
    ...groups.flatMap((settings) => Object.keys(settings)),
    ...[...compose.matchAll(IN_COMPOSE)].map(([, name]) => name),
    ...OF_TOOLS,
  ];
  const lines = [...new Set(names)].sort().map((name) => `  '${name}',\n`);
  return `/** Every setting of a program of ours; npm run docs makes this file. */\nexport const SETTING_NAMES = [\n${lines.join('')}] as const;\n`;
}

/** The values schema of the chart, whose \`settings\` are those of the api and the worker. */
export function chartSchema(text) {
  const schema = JSON.parse(text);
  const { settings } = schema.properties;
  const groups = groupedSettings();
  const known = {
    ...groups['settings of api and worker'],
    ...groups['settings of the api'],
    ...groups['settings of the worker'],
  };
  const refused = settings.propertyNames.not.enum;
  settings.propertyNames = { not: { enum: refused }, enum: Object.keys(known).sort() };
  const choices = Object.entries(known).map(([name, setting]) => [name, optionsOf(setting)]);
  settings.properties = Object.fromEntries(
    choices
      .filter(([name, options]) => options !== undefined && !refused.includes(name))
      .map(([name, options]) => [name, { enum: ['', ...options] }]),
  );
  return execFileSync(BIOME, ['format', '--stdin-file-path=values.schema.json'], {
    input: JSON.stringify(schema),
    encoding: 'utf8',
  });
}

/** The values of a setting that is one of a few words, also behind its default. */
function optionsOf(setting) {
  return setting.options ?? setting.def.innerType?.options;
}

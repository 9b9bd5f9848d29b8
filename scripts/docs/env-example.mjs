import { defaultText, groupedSettings, rangeOf } from './setting-tables.mjs';

const HEAD = `# Every setting, with its default behind a #; npm run docs makes this file. docs/operations has the pages that it names.
# The sandbox (npm start) needs none of them. Passwords shown here are refused: openssl rand -hex 24 makes one.
`;

/** The text of .env.example. */
export function envExample() {
  const groups = Object.entries(groupedSettings()).map(([title, settings]) => {
    return `\n# --- ${title} ---\n\n${Object.entries(settings)
      .map((setting) => entry(setting, title === 'settings of backups'))
      .join('\n')}`;
  });
  return `${HEAD}${groups.join('')}`;
}

/** Nothing starts by itself with an optional group: its settings all stand behind a #. */
function entry([name, schema], isOptional) {
  const byDefault = defaultText(schema) ?? (isOptional ? '' : null);
  const line = byDefault === null ? `${name}=${schema.meta().example ?? ''}` : `# ${name}=${byDefault}`;
  return `# ${schema.description}\n# Values: ${rangeOf(schema)}\n${line}\n`;
}

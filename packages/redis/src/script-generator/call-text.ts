import type { Field, Header, Shape } from '../script-header.ts';

/** The types of the keys and arguments that scripts share by this file of `lib/`; '' when it has none. */
export function libText(lib: string, header: Header): string {
  const type = capital(functionName(lib));
  return [
    ...(header.keys.length === 0 ? [] : [`export type ${type}Keys = ${keysType(header)};\n`]),
    ...(header.args.length === 0 ? [] : [`export type ${type}Args = ${argsType(header)};\n`]),
  ].join('');
}

/** The types and the function of one script, in TypeScript. `about`: what its header says first. */
export function callText(script: string, header: Header, about: string): string {
  const name = functionName(script);
  const type = capital(name);
  const isRaw = header.outcomes.some(({ fields }) => fields.some((field) => field.type === 'bytes'));
  return [
    `export type ${type}Keys = ${keysType(header)};`,
    `export type ${type}Args = ${argsType(header)};`,
    `export type ${type}Reply =${replyType(header)};`,
    `/** ${about} See scripts/${script}.lua. */`,
    `async function ${name}(redis: RedisCommands, keys: ${type}Keys, args: ${type}Args): Promise<${type}Reply> {`,
    ...encodeLines(header),
    `  const reply = await ${isRaw ? 'runScriptRaw' : 'runScript'}(redis, '${script}', ${keyCount(header)}, sent);`,
    ...decodeLines(header, `${type}Reply`, isRaw),
    '}',
    '',
  ].join('\n');
}

function capital(name: string): string {
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
}

/** Values that scripts take or answer, by the types of headers. */
const TYPES: Record<string, string> = {
  text: 'string',
  number: 'number',
  digits: 'number',
  flag: 'boolean',
  scalar: 'string | number',
  bytes: 'Buffer',
};

function typeOf({ type, optional }: Field): string {
  const isList = type.endsWith('[]');
  const one = type.replace('[]', '');
  const texts = one.includes('|')
    ? one
        .split('|')
        .map((text) => `'${text}'`)
        .join(' | ')
    : null;
  const found = texts ?? TYPES[one] ?? `${capital(one)}Row`;
  return `${isList ? `${found}[]` : found}${optional ? ' | null' : ''}`;
}

const members = (fields: Field[]) => fields.map((field) => `${field.name}: ${typeOf(field)}`);
const explained = (fields: Field[], before: string) =>
  fields.map((field) => `${field.about === '' ? '' : `/** ${field.about} */${before}`}${field.name}: ${typeOf(field)}`);

function keysType({ keys, moreKeys }: Header): string {
  const all = keys.map(({ name, optional }) => `${name}: string${optional ? ' | null' : ''}`);
  return `{ ${[...all, ...(moreKeys === null ? [] : [`${moreKeys}: string[]`])].join('; ')} }`;
}

function argsType({ args, lists }: Header): string {
  const ofLists = lists.map((list) => `${list.name}: readonly ${entryType(list)}[]`);
  return `{\n  ${[...explained(args, '\n  '), ...ofLists].join(';\n  ')};\n}`;
}

function entryType({ fields, rest }: Shape): string {
  if (fields.length > 0) return `{ ${explained(fields, ' ').join('; ')} }`;
  const type = typeOf(rest!);
  return type.includes(' ') ? `(${type})` : type;
}

function replyType({ outcomes, value }: Header): string {
  if (value !== null) return ` ${typeOf(value)}`;
  return outcomes
    .map(({ name, fields }) => `\n  | { ${[`outcome: '${name}'`, ...members(fields)].join('; ')} }`)
    .join('');
}

function isCounted({ keys, moreKeys }: Header): boolean {
  return moreKeys !== null || keys.some(({ optional }) => optional);
}

function keyCount(header: Header): string {
  return isCounted(header) ? 'keyCount' : String(header.keys.length);
}

/** The lines that put keys and arguments in the order of the header. */
function encodeLines(header: Header): string[] {
  const { keys, moreKeys, args, lists } = header;
  const always = keys.filter(({ optional }) => !optional);
  const some = keys.slice(always.length);
  if (some.some(({ optional }) => !optional) || (some.length > 0 && moreKeys !== null))
    throw new Error('optional keys come last');
  const fixed = args.map((field) => sentValue(`args.${field.name}`, field));
  const counts = lists.slice(0, -1).map(({ name }) => `args.${name}.length`);
  const first = always.map(({ name }) => `keys.${name}`);
  const behind = [...fixed, ...counts];
  return [
    ...(isCounted(header)
      ? [
          `  const sent: (string | number)[] = [${first.join(', ')}];`,
          ...some.map(({ name }) => `  if (keys.${name} !== null) sent.push(keys.${name});`),
          ...(moreKeys === null ? [] : [`  for (const key of keys.${moreKeys}) sent.push(key);`]),
          '  const keyCount = sent.length;',
          `  sent.push(${behind.join(', ')});`,
        ]
      : [`  const sent: (string | number)[] = [${[...first, ...behind].join(', ')}];`]),
    ...lists.map(({ name, fields, rest }) => {
      const values =
        fields.length > 0 ? fields.map((field) => sentValue(`one.${field.name}`, field)) : [sentValue('one', rest!)];
      return `  for (const one of args.${name}) sent.push(${values.join(', ')});`;
    }),
  ];
}

function sentValue(value: string, { type, optional }: Field): string {
  if (type === 'flag') return `${value} ? '1' : '0'`;
  return optional ? `${value} ?? ''` : value;
}

function decodeLines({ outcomes, value }: Header, reply: string, isRaw: boolean): string[] {
  if (value !== null) return [`  return ${readValue('(reply as unknown)', value)};`];
  const told = isRaw ? 'String(reply[0])' : 'reply[0]';
  const read = ({ name, fields }: Shape) =>
    `return { ${[`outcome: '${name}'`, ...fields.map((field, at) => `${field.name}: ${readValue(`reply[${at + 1}]`, field)}`)].join(', ')} };`;
  const cases = outcomes
    .filter(({ fields }) => fields.length > 0)
    .flatMap((outcome) => [`    case '${outcome.name}':`, `      ${read(outcome)}`]);
  const rest = `return { outcome: ${told} } as ${reply};`;
  if (outcomes.length === 1) return [`  ${read(outcomes[0]!)}`];
  if (cases.length === 0) return [`  ${rest}`];
  return [`  switch (${told}) {`, ...cases, '    default:', `      ${rest}`, '  }'];
}

function readValue(value: string, field: Field): string {
  const { type, optional } = field;
  if (type.endsWith('[]')) {
    const one = type.slice(0, -2);
    if (one === 'number') return `(${value} as Value[]).map(Number)`;
    if (one === 'text') return `(${value} as Value[]).map(String)`;
    return `(${value} as Value[][]).map(${one}Row)`;
  }
  if (type === 'flag') return `${value} === 1`;
  if (type === 'number') return optional ? `numberOrNull(${value})` : `Number(${value})`;
  if (type === 'text') return optional ? `textOrNull(${value})` : `String(${value})`;
  if (type === 'bytes') return `${value} as Buffer`;
  if (type.includes('|')) return `${value} as ${typeOf(field)}`;
  const row = `${type}Row(${value} as Value[])`;
  return optional ? `${value} === '' ? null : ${row}` : row;
}

/**
 * The type of a row and the function that reads it. `isFlat`: its values stand behind those of another row, any number of
 * times, so they are read from an index on. `rest`: the row that stands behind this one.
 */
export function rowText({ name, fields, rest: last }: Shape, isFlat: boolean, rest: Shape | undefined): string {
  const type = `${capital(name)}Row`;
  const values = fields.map(
    (field, at) => `${field.name}: ${readValue(`row[${!isFlat ? at : at === 0 ? 'from' : `from + ${at}`}]`, field)}`,
  );
  if (last === null || rest === undefined) {
    return [
      `export type ${type} = { ${members(fields).join('; ')} };`,
      `function ${name}Row(row: Value[]${isFlat ? ', from: number' : ''}): ${type} {`,
      `  return { ${values.join(', ')} };`,
      '}',
      '',
    ].join('\n');
  }
  const ofRest = `${capital(rest.name)}Row[]`;
  return [
    `export type ${type} = { ${[...members(fields), `${last.name}: ${ofRest}`].join('; ')} };`,
    `function ${name}Row(row: Value[]): ${type} {`,
    `  const ${last.name}: ${ofRest} = [];`,
    `  for (let from = ${fields.length}; from < row.length; from += ${rest.fields.length}) ${last.name}.push(${rest.name}Row(row, from));`,
    `  return { ${[...values, last.name].join(', ')} };`,
    '}',
    '',
  ].join('\n');
}

/** The name of a script's function. */
export function functionName(script: string): string {
  return script.replace(/-(\w)/g, (_dash, letter: string) => letter.toUpperCase());
}

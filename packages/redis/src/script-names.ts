import type { Field, Header, Shape } from './script-header.ts';

/**
 * Puts positions in place of the names that the header declares, so that names cost nothing when the script runs. A script
 * gets a local for each key and argument; a file of `lib/` writes `keys.<name>` and `args.<name>`. Throws for a name that is
 * not used or not declared, and for positions beside names.
 */
export function nameArguments(text: string, header: Header, isLib: boolean): string {
  const uncommented = withoutComments(text);
  const code = uncommented.replace(/'[^'\n]*'/g, "''");
  refusePositions(code, header, isLib);
  refuseUnused(code, header, isLib);
  refuseOutcomes(uncommented, header);
  const args = isLib ? 'args' : 'ARGV';
  const withTables = isLib ? nameTables(text, header) : text;
  const withLists = nameLists(withTables, header, args);
  const complete = nameShapes(header.moreKeys === null ? withLists : nameMoreKeys(withLists, header), header);
  return isLib ? complete : `${localsOf(header)}${complete}`;
}

/** The lines of code, with the keys that `@read` names. */
function withoutComments(text: string): string {
  return text
    .split('\n')
    .map((line) => {
      const comment = line.indexOf('--');
      if (comment < 0) return line;
      const [, read = ''] = /-- @read \w+ <- ([\w.[\]]+):/.exec(line) ?? [];
      return read === '' ? line.slice(0, comment) : read;
    })
    .join('\n');
}

function declaresNames({ keys, moreKeys, args, lists }: Header): boolean {
  return keys.length + args.length + lists.length > 0 || moreKeys !== null;
}

function refusePositions(code: string, header: Header, isLib: boolean): void {
  if (isLib && !declaresNames(header)) return;
  const found = (isLib ? /\b(keys|args)\[/ : /\b(KEYS|ARGV)\[|#ARGV/).exec(code);
  if (found !== null) throw new Error(`${found[0]} stands beside names`);
}

function refuseUnused(code: string, header: Header, isLib: boolean): void {
  const { inherited, keys, args, lists, moreKeys } = header;
  // `keys.state`, `updates.raw[`, `seen[`
  const used = new Set(code.match(/(?<![.\w])\w+(?:\.\w+)?\[?/g));
  const refuse = (name: string) => {
    throw new Error(`nothing uses the name ${name}`);
  };
  const words = isLib ? used : new Set(code.match(/(?<![.\w])\w+/g));
  for (const { name } of keys.slice(inherited.keys)) if (!words.has(isLib ? `keys.${name}` : name)) refuse(name);
  for (const { name } of args.slice(inherited.args)) if (!words.has(isLib ? `args.${name}` : name)) refuse(name);
  if (moreKeys !== null && !used.has(`${moreKeys}[`)) refuse(moreKeys);
  const walked = new Set(code.match(/\b(?:each|span)\(\w+/g));
  for (const { name, fields } of lists.slice(inherited.lists)) {
    if (walked.has(`span(${name}`)) continue;
    if (!walked.has(`each(${name}`)) refuse(name);
    for (const field of fields) if (!used.has(`${name}.${field.name}[`)) refuse(`${name}.${field.name}`);
  }
}

/** A bare outcome is `{ 'GONE' }`; one with fields is `reply.OK { … }`. */
function refuseOutcomes(text: string, { outcomes, own }: Header): void {
  if (outcomes.length === 0) return;
  for (const [, name, behind] of text.matchAll(/\{ ?'([A-Z][A-Z_]+)'( ?\}|,)/g)) {
    const outcome = outcomes.find((one) => one.name === name);
    if (outcome === undefined) throw new Error(`${name} is no outcome of the reply`);
    if (outcome.fields.length > 0 || behind === ',') throw new Error(`${name} has fields: write reply.${name} { … }`);
  }
  for (const { name, fields } of own) {
    const forms = fields.length > 0 ? [`reply.${name}`, `fields.${name}`] : [`'${name}'`];
    if (!forms.some((form) => text.includes(form))) throw new Error(`nothing answers ${name}`);
  }
}

/** A value as scripts use it. What is absent was sent as '': of a number that is nil. */
function inLua(type: string, value: string): string {
  switch (type) {
    case 'number':
      return `tonumber(${value})`;
    case 'flag':
      return `(${value} == '1')`;
    default:
      return value;
  }
}

function localsOf({ inherited, keys, args, lists }: Header): string {
  const local = (names: { name: string; type?: string }[], from: number, table: string) => {
    const own = names.slice(from);
    const values = own.map(({ type = 'text' }, at) => inLua(type, `${table}[${from + at + 1}]`));
    return own.length === 0 ? '' : `local ${own.map(({ name }) => name).join(', ')} = ${values.join(', ')}\n`;
  };
  const [first, second] = lists;
  const ofLists =
    first === undefined || second === undefined
      ? ''
      : `local ${lastOf(first)} = ${args.length + 1} + ${widthOf(first)} * tonumber(ARGV[${args.length + 1}])\n`;
  return local(keys, inherited.keys, 'KEYS') + local(args, inherited.args, 'ARGV') + ofLists;
}

function nameTables(text: string, header: Header): string {
  if (!declaresNames(header)) return text;
  return text.replace(/\b(keys|args)\.(\w+)/g, (_found, table: 'keys' | 'args', name: string) => {
    const declared: Partial<Field>[] = header[table];
    const at = declared.findIndex((one) => one.name === name);
    if (at < 0) throw new Error(`the header has no name ${table}.${name}`);
    return inLua(declared[at]!.type ?? 'text', `${table}[${at + 1}]`);
  });
}

function nameMoreKeys(text: string, { keys, moreKeys }: Header): string {
  return text.replace(new RegExp(`\\b${moreKeys}\\[(\\w+)\\]`, 'g'), `KEYS[${keys.length} + $1]`);
}

/**
 * `for i in each(list) do`, `list.field[i]`, `span(list)` (first and last position) and `count(list)`. A function of `lib/`
 * does not know where a list begins and gets its span: `for i in each(list, first, last) do`.
 */
function nameLists(text: string, header: Header, args: string): string {
  return header.lists.reduce((named, list, at) => {
    const { name, fields } = list;
    const width = widthOf(list);
    const [first, last] = spanOf(header, at);
    return named
      .replace(new RegExp(`\\bfor (\\w+) in each\\(${name}\\) do`, 'g'), `for $1 = ${first}, ${last}, ${width} do`)
      .replace(new RegExp(`\\bfor (\\w+) in each\\(${name}, (\\w+, \\w+)\\) do`, 'g'), `for $1 = $2, ${width} do`)
      .replace(new RegExp(`\\bspan\\(${name}\\)`, 'g'), `${first}, ${last}`)
      .replace(new RegExp(`\\bcount\\(${name}\\)`, 'g'), `((${last} - ${first} + 1) / ${width})`)
      .replace(new RegExp(`\\b${name}\\.(\\w+)\\[(\\w+)\\]`, 'g'), (_found, field: string, index: string) => {
        const place = fields.findIndex((one) => one.name === field);
        if (place < 0) throw new Error(`the header has no name ${name}.${field}`);
        return inLua(fields[place]!.type, place === 0 ? `${args}[${index}]` : `${args}[${index} + ${place}]`);
      })
      .replace(new RegExp(`\\b${name}\\[(\\w+)\\]`, 'g'), `${args}[$1]`);
  }, text);
}

function spanOf({ args, lists }: Header, at: number): [first: string, last: string] {
  if (lists.length > 2) throw new Error('a script has two lists at most');
  const [list] = lists;
  if (lists.length === 1) return [String(args.length + 1), '#ARGV'];
  return at === 0 ? [String(args.length + 2), lastOf(list!)] : [`${lastOf(list!)} + 1`, '#ARGV'];
}

function widthOf({ fields }: Shape): number {
  return Math.max(1, fields.length);
}

function lastOf({ name }: Shape): string {
  return `${name}Last`;
}

/**
 * `reply.OK { a = 1, b = 2, more }` becomes `{ 'OK', 1, 2, more }` in the order of the header, and `fields.row { … }` the same
 * without braces and outcome; of an outcome that `lib/` begins, a script's `fields.OK { … }` has the fields of the script.
 */
function nameShapes(text: string, header: Header): string {
  const found = [...text.matchAll(/\b(reply|fields)\.(\w+) ?\{/g)].at(-1);
  if (found === undefined) return text;
  const [opening, form, name] = found;
  const { parts, end } = partsBefore(text, found.index + opening.length);
  const shapes = form === 'reply' ? header.outcomes : [...header.rows, ...header.own];
  const shape = shapes.find((one) => one.name === name);
  if (shape === undefined) throw new Error(`the header has no ${form} ${name}`);
  const values = orderedValues(parts, shape).join(', ');
  const made = form === 'reply' ? `{ '${name}', ${values} }` : values;
  return nameShapes(text.slice(0, found.index) + made + text.slice(end + 1), header);
}

function orderedValues(parts: string[], { name, fields, rest }: Shape): string[] {
  const unnamed: string[] = [];
  const given = new Map<string, string>();
  for (const part of parts) {
    const [, field, value] = /^(\w+) = ([\s\S]+)$/.exec(part) ?? [];
    if (field === undefined || value === undefined) unnamed.push(part);
    else if (given.has(field)) throw new Error(`${name} gets ${field} twice`);
    else given.set(field, value);
  }
  const ordered = fields.map((field) => {
    const value = given.get(field.name);
    if (value === undefined) throw new Error(`${name} does not get ${field.name}`);
    return value;
  });
  const more = rest === null ? undefined : given.get(rest.name);
  if (given.size > fields.length + (more === undefined ? 0 : 1)) {
    const known = fields.map((field) => field.name);
    throw new Error(`${name} has no ${[...given.keys()].find((field) => !known.includes(field))}`);
  }
  return more === undefined ? [...ordered, ...unnamed] : [...ordered, ...unnamed, more];
}

/** The texts between commas, up to the brace that closes what is opened before `from`. */
function partsBefore(text: string, from: number): { parts: string[]; end: number } {
  const parts: string[] = [];
  let depth = 0;
  let isText = false;
  let begin = from;
  for (let at = from; at < text.length; at += 1) {
    const one = text[at]!;
    if (one === "'") isText = !isText;
    if (isText) continue;
    if (depth === 0 && (one === ',' || one === '}')) {
      parts.push(text.slice(begin, at).trim());
      begin = at + 1;
      if (one === '}') return { parts: parts.filter((part) => part !== ''), end: at };
    } else if ('({['.includes(one)) depth += 1;
    else if (')}]'.includes(one)) depth -= 1;
  }
  throw new Error('a brace is not closed');
}

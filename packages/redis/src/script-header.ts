/** One value that a script takes or answers. README.md describes the types. `about`: its explanation, '' when it has none. */
export type Field = { name: string; type: string; optional: boolean; about: string };

/** Fields under a name: an outcome, a row of a reply, or a list of arguments. `rest`: the last field may repeat. */
export type Shape = { name: string; fields: Field[]; rest: Field | null };

/** The declarations in the header of a script, or of a file of `lib/`; README.md describes the forms. */
export type Header = {
  /** How many names at the beginning are those of a file of `lib/`. */
  inherited: { keys: number; args: number; lists: number };
  keys: { name: string; optional: boolean }[];
  /** The name of keys that follow, any number. */
  moreKeys: string | null;
  args: Field[];
  /** Follow the arguments; the number of all but the last one goes before them. */
  lists: Shape[];
  /** With the fields that `lib/` declares; `own` has those of this file alone. */
  outcomes: Shape[];
  own: Shape[];
  rows: Shape[];
  /** A reply without an outcome. */
  value: Field | null;
};

const BLOCK = /^-- @(keys|args|reply|row)(?: from ([\w-]+))?(.*)$/;
const NAME = /^[a-z]\w*$/;
const VALUE_TYPES = ['text', 'number', 'flag'];

/** Reads a header. `headerOf` finds that of a file of `lib/`. Throws for a line that it cannot read, and for a name twice. */
export function readHeader(text: string, headerOf: (lib: string) => Header): Header {
  const header = emptyHeader();
  let block = '';
  let explained: Field | undefined;
  for (const line of commentsBefore(text)) {
    const [, opened, from, behind = ''] = (line.startsWith('-- @') && BLOCK.exec(line)) || [];
    if (opened !== undefined) {
      block = opened;
      if (from !== undefined) inherit(header, block, headerOf(from));
      explained = addLine(header, block, behind.trim(), false);
    } else if (block !== '' && /^-- {3}(?: {2})?\S/.test(line)) {
      explained = addLine(header, block, line.slice(2).trim(), line.startsWith('--     '));
    } else if (line.startsWith('--       ')) {
      explain(explained, line.slice(2).trim());
    } else {
      block = '';
    }
  }
  refuseDoubles(header);
  refuseUnknownTypes(header);
  return header;
}

function emptyHeader(): Header {
  return {
    inherited: { keys: 0, args: 0, lists: 0 },
    keys: [],
    moreKeys: null,
    args: [],
    lists: [],
    outcomes: [],
    own: [],
    rows: [],
    value: null,
  };
}

function commentsBefore(text: string): string[] {
  const lines: string[] = [];
  for (let from = 0; text.startsWith('--', from); ) {
    const end = text.indexOf('\n', from);
    lines.push(text.slice(from, end < 0 ? undefined : end));
    if (end < 0) break;
    from = end + 1;
  }
  return lines;
}

function inherit(header: Header, block: string, from: Header): void {
  switch (block) {
    case 'keys':
      header.keys.push(...from.keys);
      header.inherited.keys = from.keys.length;
      break;
    case 'args':
      header.args.push(...from.args);
      header.lists.push(...from.lists);
      header.inherited.args = from.args.length;
      header.inherited.lists = from.lists.length;
      break;
    default:
      header.outcomes.push(...from.outcomes.map((shape) => ({ ...shape, fields: [...shape.fields] })));
  }
}

/**
 * `isDeeper`: the line goes on with the list, outcome or row above it. Behind two spaces an explanation begins: of the argument that
 * is named last, which is returned.
 */
function addLine(header: Header, block: string, line: string, isDeeper: boolean): Field | undefined {
  const [declared = '', ...about] = line.split(/ {2,}/);
  if (declared !== '') declare(header, block, declared, isDeeper);
  const list = header.lists.at(-1);
  const named =
    block !== 'args' ? undefined : isDeeper || declared.startsWith('...') ? list?.fields.at(-1) : header.args.at(-1);
  explain(named, about.join(' '));
  return named;
}

function explain(field: Field | undefined, about: string): void {
  if (field !== undefined) field.about = `${field.about} ${about}`.trim();
}

function declare(header: Header, block: string, declared: string, isDeeper: boolean): void {
  switch (block) {
    case 'keys':
      addKeys(header, declared);
      break;
    case 'args':
      if (isDeeper) addTo(header.lists.at(-1)!, declared);
      else if (declared.startsWith('...')) header.lists.push(shapeOf(declared.slice(3)));
      else header.args.push(...declared.split(', ').map(fieldOf));
      break;
    case 'row':
      if (isDeeper || !/^\w+ /.test(declared)) addTo(header.rows.at(-1)!, declared);
      else header.rows.push(shapeOf(declared));
      break;
    default:
      if (isDeeper) extend(header, header.own.at(-1)!.name, declared);
      else addOutcomes(header, declared);
  }
}

function addKeys(header: Header, declared: string): void {
  for (const one of declared.split(', ')) {
    if (header.moreKeys !== null) throw new Error(`keys follow ...${header.moreKeys}`);
    if (one.startsWith('...')) header.moreKeys = nameOf(one.slice(3));
    else header.keys.push({ name: nameOf(one.replace(/\?$/, '')), optional: one.endsWith('?') });
  }
}

function addOutcomes(header: Header, declared: string): void {
  const [first = '', ...fields] = declared.split(' ');
  if (VALUE_TYPES.includes(first)) {
    header.value = { name: 'value', type: first, optional: false, about: '' };
  } else if (/^[A-Z_]+$/.test(first)) {
    extend(header, first, fields.join(' '));
  } else {
    for (const name of declared.split(', ')) extend(header, name, '');
  }
}

/** Adds fields to an outcome, which `lib/` may have begun. */
function extend(header: Header, name: string, declared: string): void {
  if (!/^[A-Z_]+$/.test(name)) throw new Error(`${name} is no outcome`);
  for (const shapes of [header.outcomes, header.own]) {
    let shape = shapes.find((one) => one.name === name);
    if (shape === undefined) {
      shape = { name, fields: [], rest: null };
      shapes.push(shape);
    }
    if (declared !== '') addTo(shape, declared);
  }
}

/** `name: type` is a list of single values; `name a: type, b: type` has fields. */
function shapeOf(declared: string): Shape {
  const single = /^(\w+): (\S+)$/.exec(declared);
  if (single !== null) return { name: nameOf(single[1]!), fields: [], rest: fieldOf(declared) };
  const [name = '', ...fields] = declared.split(' ');
  const shape: Shape = { name: nameOf(name), fields: [], rest: null };
  if (fields.length > 0) addTo(shape, fields.join(' '));
  return shape;
}

function addTo(shape: Shape, declared: string): void {
  for (const one of declared.split(', ')) {
    if (one.startsWith('...')) shape.rest = fieldOf(one.slice(3));
    else shape.fields.push(fieldOf(one));
  }
}

function fieldOf(declared: string): Field {
  const [, name, type, optional] = /^(\w+): ([\w|[\]-]+)(\??)$/.exec(declared) ?? [];
  if (name === undefined || type === undefined) throw new Error(`"${declared}" is not a name and a type`);
  return { name: nameOf(name), type, optional: optional === '?', about: '' };
}

/** Scripts must not hide these names of Lua. */
const TAKEN =
  'and break do else elseif end false for function if in local nil not or repeat return then true until while'
    .concat(' redis cjson string table math type tonumber tostring ipairs pairs select unpack')
    .split(' ');

function nameOf(name: string): string {
  if (!NAME.test(name) || TAKEN.includes(name)) throw new Error(`"${name}" cannot be a name`);
  return name;
}

function refuseDoubles(header: Header): void {
  const { keys, moreKeys, args, lists, outcomes, rows } = header;
  const scopes = [
    [...keys, ...args, ...lists, ...(moreKeys === null ? [] : [{ name: moreKeys }])],
    ...[...lists, ...outcomes, ...rows].map(({ fields, rest }) => (rest === null ? fields : [...fields, rest])),
  ];
  for (const scope of scopes) {
    const names = scope.map(({ name }) => name);
    const double = names.find((name, at) => names.indexOf(name) !== at);
    if (double !== undefined) throw new Error(`the name ${double} is there twice`);
  }
}

const ARGUMENT_TYPES = ['text', 'number', 'digits', 'flag', 'scalar'];

/** Of what is sent. The compiler finds unknown types of a reply, in the calls that are made from it. */
function refuseUnknownTypes({ args, lists }: Header): void {
  const sent = [args, ...lists.map(({ fields, rest }) => (rest === null ? fields : [rest]))].flat();
  for (const { name, type, optional } of sent) {
    const isKnown = ARGUMENT_TYPES.includes(type) || type.includes('|');
    if (!isKnown || (type === 'flag' && optional)) throw new Error(`${name} cannot be ${type}${optional ? '?' : ''}`);
  }
}

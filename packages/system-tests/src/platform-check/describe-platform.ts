import { readFile } from 'node:fs/promises';
import ts from 'typescript';
import { z } from 'zod';

/** The names of a release of the Bot API. `version`: such as 10.5; null: the description does not say. */
export type PlatformDescription = { version: string | null; kinds: string[]; methods: Map<string, string[]> };

const fieldsSchema = z.object({ fields: z.array(z.object({ name: z.string() })).default([]) });
/** The form of the documentation that is read by machines, where each method and each type has `fields`. */
const documentSchema = z.object({
  version: z.string().default(''),
  methods: z.record(z.string(), fieldsSchema),
  types: z.object({ Update: fieldsSchema }),
});

/** Reads a description from a JSON document, or from the TypeScript declarations of a client. */
export async function describePlatform(path: string): Promise<PlatformDescription> {
  return path.endsWith('.json') ? describeDocument(await readFile(path, 'utf8')) : describeTypes(path);
}

/** The first two numbers of a version. */
export function releaseIn(text: string): string | null {
  return /\d+\.\d+/.exec(text)?.[0] ?? null;
}

function describeDocument(text: string): PlatformDescription {
  const { version, methods, types } = documentSchema.parse(JSON.parse(text));
  const names = ({ fields }: z.infer<typeof fieldsSchema>) => fields.map(({ name }) => name);
  return {
    version: releaseIn(version),
    kinds: kindsAmong(names(types.Update)),
    methods: new Map(Object.entries(methods).map(([name, method]) => [name, names(method)])),
  };
}

/** The compiler resolves what a client imports, extends and derives, so that clients may write their types as they like. */
function describeTypes(path: string): PlatformDescription {
  const program = ts.createProgram([path], { module: ts.ModuleKind.NodeNext, types: [], strict: true });
  const checker = program.getTypeChecker();
  const file = program.getSourceFile(path);
  const module = file && checker.getSymbolAtLocation(file);
  if (module === undefined) throw new Error(`${path} is no module with types`);
  const exported = new Map(checker.getExportsOfModule(module).map((symbol) => [symbol.name, symbol]));
  const typeNamed = (names: string[]) => {
    const symbol = names.map((name) => exported.get(name)).find((found) => found !== undefined);
    if (symbol === undefined) throw new Error(`${path} exports no type ${names.join(' or ')}`);
    const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    return checker.getDeclaredTypeOfSymbol(target);
  };
  const methods = checker.getPropertiesOfType(typeNamed(['ApiMethods', 'APIMethods']));
  return {
    version: null,
    kinds: kindsAmong(checker.getPropertiesOfType(typeNamed(['Update', 'TelegramUpdate'])).map(({ name }) => name)),
    methods: new Map(methods.map((method) => [method.name, parametersOf(checker, method)])),
  };
}

function parametersOf(checker: ts.TypeChecker, method: ts.Symbol): string[] {
  const [call] = checker.getTypeOfSymbol(method).getCallSignatures();
  const [given] = call?.getParameters() ?? [];
  if (given === undefined) return [];
  const type = checker.getNonNullableType(checker.getTypeOfSymbol(given));
  const forms = type.isUnion() ? type.types : [type];
  return [...new Set(forms.flatMap((form) => checker.getPropertiesOfType(form).map(({ name }) => name)))];
}

function kindsAmong(fieldsOfUpdate: string[]): string[] {
  return fieldsOfUpdate.filter((name) => name !== 'update_id');
}

import luaparse from 'luaparse';

const GIVEN = new Set('redis cjson string table math type tonumber tostring ipairs pairs select unpack'.split(' '));

/**
 * Finds names that nothing declares and locals that nothing uses, functions of `lib/` included. The text is that of the whole
 * library, because the files of `lib/` see each other's locals. A local whose name begins with _ may stay unused.
 */
export function lintLua(text) {
  const program = luaparse.parse(text.replace(/^#!.*/, ''), { luaVersion: '5.1', comments: false, locations: true });
  const lines = text.split('\n');
  const faults = [];
  const report = (what, { name, loc }) => faults.push(`${what} ${name}: ${lines[loc.start.line - 1].trim()}`);
  const block = (statements, outer, declared = []) => {
    const scope = { names: new Map(), outer };
    for (const one of declared) declare(scope, one);
    for (const statement of statements) visit(statement, scope);
    for (const one of scope.names.values()) reportUnused(one);
  };
  const reportUnused = ({ identifier, isUsed }) => {
    if (!isUsed && !identifier.name.startsWith('_')) report('nothing uses the local', identifier);
  };
  const declare = (scope, identifier) => {
    if (identifier.type !== 'Identifier') return;
    const known = scope.names.get(identifier.name);
    if (known !== undefined) reportUnused(known);
    scope.names.set(identifier.name, { identifier, isUsed: false });
  };
  const use = (identifier, scope) => {
    for (let at = scope; at !== null; at = at.outer) {
      const known = at.names.get(identifier.name);
      if (known !== undefined) {
        known.isUsed = true;
        return;
      }
    }
    if (!GIVEN.has(identifier.name)) report('nothing declares', identifier);
  };
  const visitAll = (nodes, scope) => {
    for (const node of nodes) visit(node, scope);
  };
  /** To give a value to a local is no use of it. */
  const assign = (target, scope) => {
    if (target.type !== 'Identifier') return visit(target, scope);
    for (let at = scope; at !== null; at = at.outer) if (at.names.has(target.name)) return;
    report('nothing declares', target);
  };
  const visit = (node, scope) => {
    switch (node?.type) {
      case 'Identifier':
        return use(node, scope);
      case 'MemberExpression':
        return visit(node.base, scope);
      case 'TableKeyString':
        return visit(node.value, scope);
      case 'LocalStatement':
        visitAll(node.init, scope);
        for (const one of node.variables) declare(scope, one);
        return;
      case 'AssignmentStatement':
        visitAll(node.init, scope);
        for (const one of node.variables) assign(one, scope);
        return;
      case 'FunctionDeclaration':
        if (node.identifier !== null && node.isLocal) declare(scope, node.identifier);
        return block(node.body, scope, node.parameters);
      case 'ForNumericStatement':
        visitAll([node.start, node.end, node.step], scope);
        return block(node.body, scope, [node.variable]);
      case 'ForGenericStatement':
        visitAll(node.iterators, scope);
        return block(node.body, scope, node.variables);
      case 'IfClause':
      case 'ElseifClause':
      case 'WhileStatement':
        visit(node.condition, scope);
        return block(node.body, scope);
      case 'RepeatStatement':
        return block([...node.body, node.condition], scope);
      case 'ElseClause':
      case 'DoStatement':
        return block(node.body, scope);
      default:
        return visitAll(
          Object.values(node ?? {})
            .flat()
            .filter((one) => one?.type !== undefined),
          scope,
        );
    }
  };
  block(program.body, null);
  return faults;
}

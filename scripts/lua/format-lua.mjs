import {
  CallParenType,
  CollapseSimpleStatement,
  Config,
  formatCode,
  IndentType,
  LuaVersion,
  OutputVerification,
  QuoteStyle,
} from '@johnnymorganz/stylua';

/** Throws when it is not Lua. `-- stylua: ignore` leaves the statement behind it as it is. */
export function formatLua(text) {
  return formatCode(text, config(), undefined, OutputVerification.Full);
}

/** Each use takes the configuration. */
function config() {
  return Object.assign(Config.new(), {
    syntax: LuaVersion.Lua51,
    column_width: 120,
    indent_type: IndentType.Spaces,
    indent_width: 2,
    quote_style: QuoteStyle.AutoPreferSingle,
    call_parentheses: CallParenType.Input,
    collapse_simple_statement: CollapseSimpleStatement.ConditionalOnly,
  });
}

const VARIABLE = /\$(?:\$|\{([A-Za-z_]\w*)(?:(:?[-?+])([^}]*))?\})/g;

/** Replaces ${NAME}, ${NAME:-default}, ${NAME:?reason} and $$ as compose does. Throws for a missing required one. */
export function interpolate(text, env) {
  return text.replaceAll(VARIABLE, (whole, name, operator, word = '') => {
    if (whole === '$$') return '$';
    const value = env[name];
    const given = operator?.startsWith(':') ? value !== undefined && value !== '' : value !== undefined;
    if (operator?.endsWith('+')) return given ? word : '';
    if (given) return value;
    if (operator?.endsWith('?')) throw new Error(`${name} is required: ${word}`);
    return word;
  });
}

/** The names of the variables in a text, without repeats. */
export function variablesOf(text) {
  return [...new Set([...text.matchAll(VARIABLE)].flatMap(([, name]) => name ?? []))];
}

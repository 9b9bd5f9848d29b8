type Forms = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string };

/** Puts a number and its form into a text: `{n}` is the number as the language writes it. */
export function plurals(language: string): (n: number, forms: Forms) => string {
  const rules = new Intl.PluralRules(language);
  const numbers = new Intl.NumberFormat(language);
  return (n, forms) => (forms[rules.select(n)] ?? forms.other).replace('{n}', numbers.format(n));
}

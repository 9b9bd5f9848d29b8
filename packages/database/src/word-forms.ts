import { sql } from 'kysely';
import type { Database } from './connect.ts';
import { searchWords } from './search-words.ts';

/** Other forms of words, by the word: those that a search also finds. */
export type WordForms = ReadonlyMap<string, readonly string[]>;

type Language = { dictionary: string; letters: RegExp; bases(stem: string): string[]; endings: readonly string[] };

/** The languages of the interface. The endings of inflection; Postgres' stemmer says which of them make a form. */
const LANGUAGES: readonly Language[] = [
  {
    dictionary: 'english_stem',
    letters: /^[a-z]+$/,
    // carri: carry; care: caring; ship: shipped
    bases: (stem) => [stem, stem.replace(/i$/, 'y'), stem.replace(/e$/, ''), `${stem}e`, stem + stem.at(-1)],
    endings: ['', 's', 'es', 'ed', 'd', 'ing', 'ings'],
  },
  {
    dictionary: 'russian_stem',
    letters: /^[а-я]+$/,
    bases: (stem) => [stem],
    endings: (
      ',а,я,ы,и,у,ю,о,е,й,ь,ой,ей,ом,ем,ам,ям,ами,ями,ах,ях,ов,ев,ою,ею,ью,ия,ии,ию,ие,ий,ием,иям,иями,иях,ья,ье,ьи,ьем,ьев,' +
      'ый,ая,яя,ое,ее,ые,ого,его,ому,ему,ым,им,ых,их,ую,юю,ыми,ими,' +
      'ать,ять,ить,еть,ал,ала,ало,али,ил,ила,ило,или,ел,ела,ели,ает,ают,яет,яют,ит,ят,ет,ут,ют,аю,яю,ен,ена,ено,ены'
    ).split(','),
  },
];
const SHORTEST = 3;
/** Of a longer query, the words behind are looked for as they are. */
const MOST_WORDS = 6;

/** The forms of the words of a query: `orders` finds `order`. Words that stand nearly everywhere, such as `the`, have none. */
export async function readWordForms(db: Database, q: string): Promise<WordForms> {
  const words = searchWords(q).flatMap(({ word, run }) => (run === null && word.length >= SHORTEST ? [word] : []));
  const known = [...new Set(words)].slice(0, MOST_WORDS).flatMap((word) => {
    const language = LANGUAGES.find(({ letters }) => letters.test(word));
    return language === undefined ? [] : [{ word, language }];
  });
  if (known.length === 0) return new Map();
  const stems = await stemsOf(
    db,
    known.map(({ word, language }) => [word, language]),
  );
  const candidates = known.flatMap(({ word, language }) => {
    const stem = stems.get(word) ?? '';
    if (stem === '') return [];
    const forms = language.bases(stem).flatMap((base) => language.endings.map((ending) => base + ending));
    const begins = word.slice(0, SHORTEST);
    return [...new Set(forms)]
      .filter((form) => form !== word && form.startsWith(begins))
      .map((form) => ({ word, stem, form, language }));
  });
  const stemsOfForms = await stemsOf(
    db,
    candidates.map(({ form, language }) => [form, language]),
  );
  const found = new Map<string, string[]>();
  for (const { word, stem, form } of candidates) {
    if (stemsOfForms.get(form) === stem) found.set(word, [...(found.get(word) ?? []), form]);
  }
  return found;
}

async function stemsOf(
  db: Database,
  words: (readonly [word: string, language: Language])[],
): Promise<Map<string, string>> {
  if (words.length === 0) return new Map();
  const { rows } = await sql<{ word: string; stem: string | null }>`
    select word, (ts_lexize(dictionary::regdictionary, word))[1] as stem from unnest(
      ${words.map(([word]) => word)}::text[], ${words.map(([, { dictionary }]) => dictionary)}::text[]
    ) as given (word, dictionary)`.execute(db);
  return new Map(rows.map(({ word, stem }) => [word, stem ?? '']));
}

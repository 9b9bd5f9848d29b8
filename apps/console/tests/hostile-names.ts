/** Names as long as people make them, each of 64 characters: one word, from right to left, wide, and of another script. */
export const HOSTILE = {
  word: `${'Wolkenkuckucksheim'.repeat(4)}`.slice(0, 64),
  arabic: `${'مكتب الشحن والتسليم والمرتجعات '.repeat(3)}`.slice(0, 64),
  cyrillic: `${'Отдел доставки и возвратов по северу и северо-западу '.repeat(2)}`.slice(0, 64),
  chinese: `${'全国配送与退货支持中心'.repeat(6)}`.slice(0, 64),
  digits: '314159265358979323846264338327',
} as const;

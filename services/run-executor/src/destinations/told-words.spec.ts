import fc from 'fast-check';
import { ToldWords } from './told-words';
import { FUNCTION_WORDS, WORDS } from './words-of-reasons';

const NAMES = new Set(['email_address', 'FNAME', 'favouriteDrink', 'address', 'line1']);

const told = (text: string, ...values: readonly string[]): string =>
  new ToldWords(values, NAMES).tell(text);

it.each([
  ['Invalid Resource: email_address: This value should not be blank.', []],
  ['duplicate_parameter: email is already in use', ['ann@web.de']],
  ['Invalid input: address.line1: Invalid format; merge_fields.FNAME is required', ['ann']],
  ["The user doesn't exist, please try again", ['nobody']],
])('what has no values stays: %s', (text, values) => {
  expect(told(text, ...values)).toBe(text);
});

it.each([
  [
    'ann@web.de looks fake or invalid, please enter a real email address.',
    '… looks fake or invalid, please enter a real email address.',
  ],
  ['Contact already exists. Existing ID: 4711', 'Contact already exists. Existing …'],
  ['{"field":"FNAME","error":"\\"Ann\\" is not valid"}', 'field: FNAME, error … is not valid'],
  ['email=ann%40web.de&name=x is invalid', 'email … is invalid'],
  ['favouriteDrink of Ann is tea', 'favouriteDrink of … is …'],
  ['country DE is not allowed in NO', 'country … is not allowed in …'],
  ['Großes Übel: 名前', ''],
  ['at 2026-01-02T03:04:05Z', 'at …'],
  ['', ''],
])('of %s the known words stay', (text, expected) => {
  expect(told(text, 'ann@web.de', 'Ann')).toBe(expected);
});

it.each([
  ['the value invalid is not valid', ['invalid'], 'the value … is not …'],
  ['the value ínvalid-user is not taken', ['Invalid User'], 'the value … is not taken'],
  ['the value not is taken', ['not'], 'the value … is taken'],
  ['the value is not taken', ['is this not it'], 'the value … taken'],
  ['the value is not taken', ['a value that is not'], 'the … is not taken'],
  ['the key is in use', ['use', 'monkey bar'], 'the key is in …'],
])('no word of a value stays: %s', (text, values, expected) => {
  expect(told(text, ...values)).toBe(expected);
});

const wordsIn = (text: string): readonly string[] =>
  text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [];

const vocabulary = fc.constantFrom(...WORDS, ...FUNCTION_WORDS, ...NAMES);
const value = fc
  .oneof(
    fc.string({ unit: 'binary', minLength: 1, maxLength: 20 }),
    fc.array(vocabulary, { minLength: 1, maxLength: 4 }).map((words) => words.join(' ')),
    fc.integer().map(String),
    fc.constantFrom('NO', 'Ann', 'a', 'contact@email.com', 'O\'Neil "x"', 'true'),
  )
  .filter((text) => wordsIn(text).length > 0);

/** Forms in which an application may repeat a value. */
const FORMS: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => text.toUpperCase(),
  (text) => text.toLowerCase().trim(),
  (text) => text.normalize('NFD'),
  (text) => JSON.stringify(text),
  (text) => JSON.stringify(JSON.stringify({ text })),
  (text) => encodeURIComponent(Buffer.from(text).toString()),
  (text) => `<${text}>`,
  (text) => `'${text.slice(0, 8)}'`,
  (text) => Array.from(text).reverse().join(''),
];

interface Part {
  readonly words: readonly string[];
  readonly joint: string;
  readonly at: number;
  readonly form: (text: string) => string;
}

const part: fc.Arbitrary<Part> = fc.record({
  words: fc.array(vocabulary, { maxLength: 4 }),
  joint: fc.constantFrom(' ', ': ', ' "', "'", '.', '/', '', '=', '@', '_', '-'),
  at: fc.nat({ max: 9 }),
  form: fc.constantFrom(...FORMS),
});

const filled = (parts: readonly Part[], values: readonly string[]): string =>
  parts
    .map(({ words, joint, at, form }) => {
      const given = form(values[at % values.length] ?? '');
      return `${words.join(' ')}${joint}${given}${joint}`;
    })
    .join(' ');

const hasRun = (all: readonly string[], run: readonly string[]): boolean =>
  all.some((_, at) => run.every((word, n) => all[at + n] === word));

it('whatever is said, in any form and at any place, no value is told, and known words alone', () => {
  fc.assert(
    fc.property(
      fc.array(value, { minLength: 1, maxLength: 4 }),
      fc.oneof(fc.array(part, { maxLength: 6 }), fc.string({ unit: 'binary', maxLength: 100 })),
      (values, said) => {
        const text = typeof said === 'string' ? said : filled(said, values);
        const result = told(text, ...values);
        const words = wordsIn(result);
        for (const each of values) expect(hasRun(words, wordsIn(each))).toBe(false);
        const pieces = result.split(/[\s.,:;!?/]+/).filter((each) => each !== '' && each !== '…');
        for (const piece of pieces)
          if (!NAMES.has(piece))
            for (const word of piece.toLowerCase().split(/[-_']/))
              expect(WORDS.has(word) || FUNCTION_WORDS.has(word)).toBe(true);
      },
    ),
    { numRuns: 400 },
  );
});

it('what is told does not depend on values that have no known words', () => {
  const unknown = fc
    .string({
      unit: fc.constantFrom(...Array.from('qxzQ7ж@.+ -_\'",:/…')),
      minLength: 1,
      maxLength: 20,
    })
    .filter((text) => /[qxz7ж]/i.test(text));
  fc.assert(
    fc.property(
      fc.array(part, { minLength: 1, maxLength: 6 }),
      unknown,
      unknown,
      (parts, one, other) => {
        const apart = parts.map((each) => ({ ...each, joint: ' ', form: (text: string) => text }));
        expect(told(filled(apart, [one]), one)).toBe(told(filled(apart, [other]), other));
      },
    ),
    { numRuns: 400 },
  );
});

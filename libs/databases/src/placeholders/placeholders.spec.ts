import fc from 'fast-check';
import { MYSQL_DIALECT } from '../mysql/mysql-dialect';
import { POSTGRESQL_DIALECT } from '../postgresql/postgresql-dialect';
import { checkPlaceholders, withLiterals } from './placeholders';
import { type SqlDialect, sqlParts } from './sql-parts';

const DIALECTS = { postgresql: POSTGRESQL_DIALECT, mysql: MYSQL_DIALECT };
const LITERALS = { updated_at: '«t»', limit: '«7»' };

/** A statement with placeholders that stand in code (`@`), in quotes (`"`), or in a comment (`-`). */
const standsIn = (text: string, dialect: SqlDialect): string => {
  try {
    return withLiterals(text.replace('@', '${limit}'), dialect, LITERALS).includes('«7»')
      ? 'code'
      : 'comment';
  } catch {
    return 'quotes';
  }
};

type Row = [text: string, postgresql: string, mysql: string];

it.each<Row>([
  ['SELECT @', 'code', 'code'],
  ["SELECT 'a' @", 'code', 'code'],
  ["SELECT 'a@'", 'quotes', 'quotes'],
  ["SELECT 'it''s @'", 'quotes', 'quotes'],
  ["SELECT 'it''s' @", 'code', 'code'],
  ["SELECT 'a\\' @ -- '", 'code', 'quotes'],
  ["SELECT E'a\\' @'", 'quotes', 'quotes'],
  ["SELECT E'a''\\' @'", 'quotes', 'quotes'],
  ["SELECT e'\\\\' @", 'code', 'code'],
  ["SELECT note'\\' @ -- '", 'code', 'quotes'],
  ["SELECT 'a @", 'quotes', 'quotes'],
  ['SELECT "a@"', 'quotes', 'quotes'],
  ['SELECT "a""@"', 'quotes', 'quotes'],
  ['SELECT "a" @', 'code', 'code'],
  ['SELECT `a@`', 'code', 'quotes'],
  ['SELECT `a``@`', 'code', 'quotes'],
  ['SELECT $$@$$', 'quotes', 'code'],
  ['SELECT $$a$$ @', 'code', 'code'],
  ['SELECT $a$ $$ @ $a$', 'quotes', 'code'],
  ['SELECT $é$@$é$', 'quotes', 'code'],
  ['SELECT a$b$ @ FROM a$b$', 'code', 'code'],
  ['SELECT $1 @', 'code', 'code'],
  ['SELECT a@', 'code', 'code'],
  ['SELECT 1 -- @', 'comment', 'comment'],
  ['SELECT 1 --\n @', 'code', 'code'],
  ['SELECT 1 --@', 'comment', 'code'],
  ['SELECT 1 # @', 'code', 'comment'],
  ['SELECT 1 /* @ */', 'comment', 'comment'],
  ['SELECT 1 /* a */ @', 'code', 'code'],
  ['SELECT 1 /* /* */ @ */', 'comment', 'code'],
  ['SELECT 1 /* /* */ */ @', 'code', 'code'],
  ['SELECT 1 /*! @ */', 'comment', 'code'],
  ['SELECT 1 /*M! @ */', 'comment', 'code'],
  ["SELECT 1 -- it's\n @", 'code', 'code'],
  ["SELECT '--' @", 'code', 'code'],
  ["SELECT '/*' @ /* ' */", 'code', 'code'],
])('%s stands in: %s, %s', (text, postgresql, mysql) => {
  expect([standsIn(text, POSTGRESQL_DIALECT), standsIn(text, MYSQL_DIALECT)]).toEqual([
    postgresql,
    mysql,
  ]);
});

describe.each(Object.entries(DIALECTS))('%s', (_, dialect) => {
  it('every placeholder is replaced', () => {
    const text = 'SELECT ${limit}, ${updated_at}${limit} /* ${other} */';
    expect(withLiterals(text, dialect, LITERALS)).toBe('SELECT «7», «t»«7» /* ${other} */');
  });

  it('what a literal holds is not looked at again', () => {
    const literals = { updated_at: "'${limit} $& $1'", limit: '7' };
    expect(withLiterals('SELECT ${updated_at}', dialect, literals)).toBe("SELECT '${limit} $& $1'");
  });

  it.each(['${}', '${ limit}', '${LIMIT}', '${limit', '${limit }', '${${limit}}', "'${x}'"])(
    '%s is none',
    (text) => {
      expect(() => {
        checkPlaceholders(`SELECT ${text}`, dialect);
      }).toThrow(expect.objectContaining({ kind: 'InvalidPlaceholder' }) as Error);
    },
  );

  it('a statement without placeholders stays as it is, in bounded work', () => {
    const fragment = fc.constantFrom(
      "'",
      "''",
      '"',
      '`',
      '\\',
      '$$',
      '$a$',
      '--',
      '#',
      '/*',
      '*/',
      '\n',
      'e',
      ' ',
      '{',
    );
    fc.assert(
      fc.property(fc.array(fragment, { maxLength: 60 }), (fragments) => {
        const text = fragments.join('');
        expect(Array.from(sqlParts(text, dialect), (part) => part.text).join('')).toBe(text);
      }),
    );
    for (const long of ["'\\", '/*', '$a', 'e'].map((each) => each.repeat(5_000)))
      expect(Array.from(sqlParts(long, dialect), (part) => part.text).join('')).toBe(long);
  });
});

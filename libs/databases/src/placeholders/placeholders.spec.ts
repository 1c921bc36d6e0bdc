import fc from 'fast-check';
import { CLICKHOUSE_DIALECT } from '../clickhouse/clickhouse-dialect';
import { MYSQL_DIALECT } from '../mysql/mysql-dialect';
import { POSTGRESQL_DIALECT } from '../postgresql/postgresql-dialect';
import { checkPlaceholders, withLiterals } from './placeholders';
import { type SqlDialect, sqlParts } from './sql-parts';

const DIALECTS = {
  postgresql: POSTGRESQL_DIALECT,
  mysql: MYSQL_DIALECT,
  clickhouse: CLICKHOUSE_DIALECT,
};
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

type Row = [text: string, postgresql: string, mysql: string, clickhouse: string];

it.each<Row>([
  ['SELECT @', 'code', 'code', 'code'],
  ["SELECT 'a' @", 'code', 'code', 'code'],
  ["SELECT 'a@'", 'quotes', 'quotes', 'quotes'],
  ["SELECT 'it''s @'", 'quotes', 'quotes', 'quotes'],
  ["SELECT 'it''s' @", 'code', 'code', 'code'],
  ["SELECT 'a\\' @ -- '", 'code', 'quotes', 'quotes'],
  ["SELECT E'a\\' @'", 'quotes', 'quotes', 'quotes'],
  ["SELECT E'a''\\' @'", 'quotes', 'quotes', 'quotes'],
  ["SELECT e'\\\\' @", 'code', 'code', 'code'],
  ["SELECT note'\\' @ -- '", 'code', 'quotes', 'quotes'],
  ["SELECT 'a @", 'quotes', 'quotes', 'quotes'],
  ['SELECT "a@"', 'quotes', 'quotes', 'quotes'],
  ['SELECT "a""@"', 'quotes', 'quotes', 'quotes'],
  ['SELECT "a" @', 'code', 'code', 'code'],
  ['SELECT `a@`', 'code', 'quotes', 'quotes'],
  ['SELECT `a``@`', 'code', 'quotes', 'quotes'],
  ['SELECT $$@$$', 'quotes', 'code', 'quotes'],
  ['SELECT $$a$$ @', 'code', 'code', 'code'],
  ['SELECT $a$ $$ @ $a$', 'quotes', 'code', 'quotes'],
  ['SELECT $é$@$é$', 'quotes', 'code', 'quotes'],
  ['SELECT a$b$ @ FROM a$b$', 'code', 'code', 'code'],
  ['SELECT $1 @', 'code', 'code', 'code'],
  ['SELECT a@', 'code', 'code', 'code'],
  ['SELECT 1 -- @', 'comment', 'comment', 'comment'],
  ['SELECT 1 --\n @', 'code', 'code', 'code'],
  ['SELECT 1 --@', 'comment', 'code', 'comment'],
  ['SELECT 1 # @', 'code', 'comment', 'comment'],
  ['SELECT 1 /* @ */', 'comment', 'comment', 'comment'],
  ['SELECT 1 /* a */ @', 'code', 'code', 'code'],
  ['SELECT 1 /* /* */ @ */', 'comment', 'code', 'comment'],
  ['SELECT 1 /* /* */ */ @', 'code', 'code', 'code'],
  ['SELECT 1 /*! @ */', 'comment', 'code', 'comment'],
  ['SELECT 1 /*M! @ */', 'comment', 'code', 'comment'],
  ["SELECT 1 -- it's\n @", 'code', 'code', 'code'],
  ["SELECT '--' @", 'code', 'code', 'code'],
  ["SELECT '/*' @ /* ' */", 'code', 'code', 'code'],
])('%s stands in: %s, %s, %s', (text, postgresql, mysql, clickhouse) => {
  const found = Object.values(DIALECTS).map((dialect) => standsIn(text, dialect));
  expect(found).toEqual([postgresql, mysql, clickhouse]);
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

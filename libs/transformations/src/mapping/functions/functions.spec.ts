import { trial } from '../trial.fixture';
import { FUNCTIONS } from './functions';

type Row = readonly [expression: string, result: string];

/** Results as text; `compile`, `transformation` and `validation` name the step that fails. */
const ROWS: Readonly<Record<string, readonly Row[]>> = {
  and: [
    ['and(b, "yes", i8)', 'true'],
    ['and(b, sn)', 'null'],
    ['and(sn, "no")', 'false'],
    ['and("no", s)', 'false'],
    ['and(se, b)', 'null'],
    ['and(b, s)', 'transformation'],
    ['and(b, js)', 'transformation'],
    ['and(jn, b)', 'null'],
    ['and(b, "")', 'compile'],
    ['and(b, 1)', 'compile'],
  ],
  or: [
    ['or("no", b, s)', 'true'],
    ['or(sn, "no")', 'null'],
    ['or(sn, b)', 'true'],
    ['or("no", s)', 'transformation'],
  ],
  not: [
    ['not(b)', 'false'],
    ['not(sn)', 'null'],
    ['not(i)', 'compile'],
  ],
  eq: [
    ['eq(s, "Hello World")', 'true'],
    ['eq(s, sn)', 'null'],
  ],
  ne: [
    ['ne(s, "Hello World")', 'false'],
    ['ne(sn, sn)', 'null'],
  ],
  if: [
    ['if(b, s, j.text.x)', 'Hello World'],
    ['if("no", j.text.x, s)', 'Hello World'],
    ['if(sn, i, d)', '12.5'],
    ['if(se, i)', 'null'],
    ['if(b, sn, i)', 'null'],
    ['if(b, arr, i)', 'compile'],
    ['lower(if(b, s, arr))', 'compile'],
    ['len(if(b, arr, s))', '2'],
  ],
  coalesce: [
    ['coalesce(sn, jn, i, j.text.x)', '42'],
    ['coalesce(se, s)', ''],
    ['coalesce(sn, jn)', 'null'],
    ['coalesce(j.text.x, s)', 'transformation'],
    ['coalesce(sn, if(b, jn), s)', 'Hello World'],
    ['upper(coalesce(sn, j.text, i))', 'T'],
    ['eq(coalesce(sn, i), coalesce(sn, "42"))', 'true'],
    ['coalesce(s, arr)', 'compile'],
  ],
  lower: [
    ['lower("ÀÉ" d)', 'àé12.5'],
    ['lower(js)', 'text'],
    ['lower(jn)', 'null'],
    ['lower(arr)', 'compile'],
  ],
  upper: [['upper("straße")', 'STRASSE']],
  initcap: [
    ['initcap("it\'s a_b 1a x.y é\\u00a0z\\u3000ß")', "It'S A_b 1a X.Y É\u00a0Z\u3000SS"],
    ['initcap("\\u0085a hELLO")', '\u0085A HELLO'],
    ['initcap(se)', ''],
  ],
  trim: [['trim("\\u3000\\u00a0 a\\u0085b \\u2028\\u202f")', 'a\u0085b']],
  ltrim: [
    ['ltrim(" \\n\\u0085x ")', 'x '],
    ['ltrim("\\ufeffx")', '\ufeffx'],
  ],
  rtrim: [
    ['rtrim(" x\\u1680\\u205f")', ' x'],
    ['rtrim("  ")', ''],
  ],
  substring: [
    ['substring("a😀b😀c", 2, 2)', '😀b'],
    ['substring("a😀b😀c", 4)', '😀c'],
    ['substring("😀", 2)', ''],
    ['substring(s, -5, 3)', 'Hel'],
    ['substring(s, 11, 2147483647)', 'd'],
    ['substring(s, f)', 'llo World'],
    ['substring(s, se)', 'null'],
    ['substring(s, b)', 'compile'],
    ['substring(s, 2147483648)', 'compile'],
    ['substring(s, "")', 'compile'],
    ['substring(s, i64)', 'transformation'],
    ['substring(s, nan)', 'transformation'],
    ['substring(s, 1, -1)', 'transformation'],
    ['substring(sn, 1, -1)', 'null'],
  ],
  len: [
    ['len(o)', '2'],
    ['len("a😀")', '2'],
    ['len(jn)', '0'],
    ['len(sn)', '0'],
    ['len(j.list)', '3'],
    ['len(j.missing)', '0'],
    ['len(nan)', '3'],
    ['len(m)', '1'],
  ],
  json_parse: [
    ['json_parse("[1, 2.50]").x', 'compile'],
    ['json_parse(" 1.50 ")', '1.50'],
    ['json_parse("{\\"a\\":1,\\"a\\":2}")', 'transformation'],
    ['json_parse("1 2")', 'transformation'],
    ['json_parse("\\"\\\\u0000\\"")', 'transformation'],
    ['json_parse("\\"\\\\ud800\\"")', 'transformation'],
    ['json_parse("\\"\\\\u0041\\"")', 'A'],
    ['json_parse(se)', 'transformation'],
    ['json_parse(j.list)', 'transformation'],
    ['json_parse(jn)', 'null'],
    ['json_parse(null)', 'null'],
    ['json_parse(d)', 'compile'],
  ],
  concat: [
    ['concat(sn, s, jn, 1.50)', 'Hello World1.5'],
    ['concat(null)', ''],
    ['concat(m)', 'compile'],
    ['concat(j)', 'transformation'],
  ],
  replace: [
    ['replace("aaaa", "aa", "a$&")', 'a$&a$&'],
    ['replace(s, "L", "x")', 'Hello World'],
    ['replace(s, "l", se)', 'Heo Word'],
    ['replace(s, "", "x")', 'compile'],
    ['replace(s, se, "x")', 'transformation'],
    ['replace(sn, se, "x")', 'null'],
    ['replace(s, null, "x")', 'null'],
  ],
  sha256: [
    ['sha256("")', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
    ['sha256("è")', '97c916cd94785d7b9b52ae7013c267854f275691ddaae212bc1c07f639b8a0c7'],
    ['sha256(sn)', 'null'],
  ],
  round: [
    ['round(2.5)', '3'],
    ['round(f32, 1)', '0.1'],
    ['round("1e2", 1)', '100'],
    ['round(j.a.b, 37)', '1.5'],
    ['round(i64, 2)', '9007199254740993'],
    ['round(y)', '2024'],
    ['round(nan)', 'transformation'],
    ['round(inf)', 'transformation'],
    ['round(se)', 'transformation'],
    ['round("1e77")', 'transformation'],
    ['round(" 1")', 'transformation'],
    ['round(jn)', 'null'],
    ['round(dt)', 'compile'],
    ['round(d, "1")', 'compile'],
    ['round(d, 1.5)', 'compile'],
    ['round(d, null)', 'compile'],
  ],
  date_format: [
    ['date_format(dt, "yyyy-MM-dd\'T\'HH:mm:ss.SSS")', '2024-02-29T10:11:12.500'],
    ['date_format(da, "SSS ss HH")', '000 00 00'],
    ['date_format("2024-02-29T23:30:00.1234567-01:00", "ddHHmmssSSS")', '01003000123'],
    ["date_format(dt, \"'o''clock' '' HH\")", "o'clock ' 10"],
    ["date_format(dt, \"''''\")", "''"],
    ['date_format(dt, "yyyy年")', '2024年'],
    ['date_format(dt, "yy")', 'compile'],
    ['date_format(dt, "yyyyy")', 'compile'],
    ['date_format(dt, "SS")', 'compile'],
    ['date_format(dt, "T")', 'compile'],
    ['date_format(dt, "HH\'x")', 'compile'],
    ['date_format(dt, 5)', 'compile'],
    ['date_format("x", "yyyy")', 'compile'],
    ['date_format(js, "yyyy")', 'transformation'],
    ['date_format(se, "yyyy")', 'null'],
    ['date_format(ti, "HH")', 'compile'],
  ],
  regexp_match: [
    ['regexp_match(s, "o\\\\b")', 'true'],
    ['regexp_match(i, "^4.$")', 'true'],
    ['regexp_match(s, "(?P<x>l)\\\\1")', 'compile'],
    ['regexp_match(s, null)', 'compile'],
    ['regexp_match(sn, "x")', 'null'],
  ],
  regexp_replace: [
    [
      'regexp_replace(s, "(l)(?P<next>.)", "[$0|${1}|${next}|$2$$]")',
      'He[ll|l|l|l$]o Wor[ld|l|d|d$]',
    ],
    ['regexp_replace("abc", "(x)|b", "<$1>")', 'a<>c'],
    ['regexp_replace("baac", "a*", "-")', '-b-c-'],
    ['regexp_replace("😀", "", "-")', '-😀-'],
    ['regexp_replace(s, "(l)", "$12")', 'Hel2l2o Worl2d'],
    ['regexp_replace(s, "(l)", "${12}")', 'compile'],
    ['regexp_replace(s, "(l)", "${name}")', 'compile'],
    ['regexp_replace(s, "l", "$")', 'compile'],
    ['regexp_replace(s, "l", "$x")', 'compile'],
    ['regexp_replace(s, "l", "${0")', 'compile'],
    ['regexp_replace(s, "l", i)', 'compile'],
  ],
};

/** Results without a text, as JSON. */
const JSON_ROWS: Readonly<Record<string, readonly Row[]>> = {
  map: [
    [
      'map("s", s, "n", sn, "x", coalesce(sn), "jn", jn, "miss", j.miss)',
      '{"s":"Hello World","x":null,"jn":null}',
    ],
    [
      'map("i", i64, "d", d, "f", f32, "j", j.a, "l", null)',
      '{"i":9007199254740993,"d":12.5,"f":0.1,"j":{"b":1.50},"l":null}',
    ],
    [
      'map("o", o, "m", m, "at", dt)',
      '{"o":{"name":"Ada","age":null},"m":{"k":1},"at":"2024-02-29T10:11:12.500Z"}',
    ],
    ['map("nan", nan)', 'transformation'],
    ['map("a", 1, "a", 2)', 'compile'],
    ['map("a", 1, "b")', 'compile'],
    ['map(null, 1)', 'compile'],
  ],
  array: [
    [
      'array(s, sn, 1.50, b, arr, j.list, id)',
      '["Hello World",null,1.5,true,["x","y"],[1,"x",null],"550e8400-e29b-41d4-a716-446655440000"]',
    ],
    ['array(floats)', 'transformation'],
    ['array()', '[]'],
  ],
  split: [
    ['split("a--b-", "-")', '["a","","b",""]'],
    ['split(se, ",")', '[""]'],
    ['split(sn, se)', 'null'],
    ['split(s, se)', 'transformation'],
    ['split(s, "" "")', 'compile'],
  ],
};

const flat = (rows: Readonly<Record<string, readonly Row[]>>): Row[] => Object.values(rows).flat();

it.each(flat(ROWS))('%s is %s', (expression, result) => {
  expect(trial(expression)).toBe(result);
});

it.each(flat(JSON_ROWS))('%s is %s', (expression, result) => {
  expect(trial(expression, { kind: 'json' })).toBe(result);
});

it('has rows for every function', () => {
  expect(new Set(Object.keys({ ...ROWS, ...JSON_ROWS }))).toEqual(new Set(FUNCTIONS.keys()));
});

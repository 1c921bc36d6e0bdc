import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { PENSTOCK_VARIABLES, type Variable } from '@penstock/runtime';
import { STANDALONE_VARIABLES } from './standalone-variables';

const ROOT = resolve(__dirname, '..', '..', '..');

const PAGE = readFileSync(join(ROOT, 'docs', 'configuration.md'), 'utf8');

const VARIABLES = Object.keys({ ...PENSTOCK_VARIABLES, ...STANDALONE_VARIABLES }).sort();

/** Cells of the rows of the tables with this heading of their first column. */
const rowsUnder = (page: string, heading: string): string[][] => {
  const rows: string[][] = [];
  let isInside = false;
  for (const line of page.split('\n')) {
    const cells = line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim());
    const [first] = cells;
    if (first === undefined) isInside = false;
    else if (isInside) rows.push(cells);
    else isInside = first === heading;
  }
  return rows.filter(([first = '']) => !/^-+$/.test(first));
};

const ROWS = rowsUnder(PAGE, 'Variable');

const namesIn = (text: string): string[] =>
  [...text.matchAll(/`([A-Z][A-Z_]+)(?:=[^`]*)?`/g)].map(([, name = '']) => name);

const sources = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter(
      (file) =>
        /\/src\/.*\.ts$/.test(file) && !/\.(spec|fixture|contract|conformance)\.ts$/.test(file),
    )
    .filter((file) => !/(node_modules|dist)\//.test(file))
    .map((file) => join(ROOT, folder, file));

it('has a row for every variable of all services, and for none else', () => {
  const documented = ROWS.flatMap(([names = '']) => namesIn(names));
  expect([...documented].sort()).toEqual(VARIABLES);
});

const TABLE: Readonly<Record<string, Variable<unknown, unknown>>> = {
  ...STANDALONE_VARIABLES,
  ...PENSTOCK_VARIABLES,
};

/** Numbers, times and texts in backticks that begin a part of a cell. */
const VALUE = /^(?:`([^`]+)`|(\d+(?:\.\d+)?[a-z]*))(?![^ (])/;

/** A default that is written out: of several variables in one row, each has a part of the cell. */
const defaultsIn = ([names = '', cell = '']: readonly string[]): [string, string][] => {
  const parts = cell.split(', ');
  return namesIn(names).flatMap((name, index): [string, string][] => {
    const [, text, number] = VALUE.exec(parts[index] ?? '') ?? [];
    const value = text ?? number;
    return value === undefined ? [] : [[name, value]];
  });
};

it.each(ROWS.flatMap(defaultsIn))('%s takes its default, %s, when it is set', (name, text) => {
  const { parse, fallback } = TABLE[name] as Variable<unknown, unknown>;
  const value = parse(text);
  expect(value).toBeDefined();
  if (fallback !== undefined) expect(value).toEqual(fallback);
});

/** Limits and examples of a variable that has a row of its own, with the unit in which the page gives them. */
const limitsIn = ([names = '', cell = '', what = '']: readonly string[]): [string, string][] => {
  const [name, ...others] = namesIn(names);
  if (name === undefined || others.length > 0) return [];
  const [, , unit = ''] = /^(\d+)([a-z])$/.exec(cell) ?? [];
  const range = /from `?(\d+)([a-z]?)`? to `?(\d+)([a-z]?)`?/.exec(what);
  const [, least, ofLeast, most, ofMost] = range ?? [];
  const examples = [...what.matchAll(/`(\d+[smhd])`/g)].map(([, example = '']) => example);
  const limits = range === null ? [] : [`${least}${ofLeast || unit}`, `${most}${ofMost || unit}`];
  return [...new Set([...limits, ...examples])].map((text) => [name, text]);
};

it.each(ROWS.flatMap(limitsIn))('%s takes %s, which the page names', (name, text) => {
  expect((TABLE[name] as Variable<unknown, unknown>).parse(text)).toBeDefined();
});

/** Words in a row of variables that take one of some words. */
const choicesIn = ([names = '', ...cells]: readonly string[]): [string, string][] =>
  namesIn(names).some((name) => TABLE[name]?.expects.startsWith('one of'))
    ? [...cells.join(' ').matchAll(/`([a-z][a-z\d_-]*[a-z\d])`/g)]
        .filter(([, word = '']) => word !== 'traceparent')
        .map(([, word = '']) => [names, word])
    : [];

it.each(ROWS.flatMap(choicesIn))('%s take %s, which the page names', (names, word) => {
  expect(namesIn(names).filter((name) => TABLE[name]?.parse(word) !== undefined)).not.toEqual([]);
});

it('finds the values of the page', () => {
  const found = [defaultsIn, limitsIn, choicesIn].map((valuesIn) => ROWS.flatMap(valuesIn).length);
  const [defaults = 0, limits = 0, choices = 0] = found;
  expect([defaults > 40, limits > 30, choices > 10]).toEqual([true, true, true]);
});

it('names no variable elsewhere, nor do the overview pages, that there is not', () => {
  const texts = ['README.md', 'docs/configuration.md', 'docs/architecture.md'].map((file) =>
    readFileSync(join(ROOT, file), 'utf8'),
  );
  const named = texts.flatMap((text) => text.match(/\b(PENSTOCK|KAFKA)_[A-Z_]*[A-Z]\b/g) ?? []);
  const known = new Set<string>(VARIABLES);
  expect([...new Set(named)].filter((name) => !known.has(name))).toEqual([]);
});

it('covers every table of variables: no service reads one of its own beside them', () => {
  const known = new Set<string>(VARIABLES);
  const read = [...sources('libs'), ...sources('services')].flatMap((file) => {
    const text = readFileSync(file, 'utf8');
    const rows = /-variables\.ts$/.test(file)
      ? [...text.matchAll(/^  ([A-Z][A-Z_]+): /gm)].map(([, name = '']) => name)
      : [];
    const direct = [...text.matchAll(/process\.env(?:\.|\[')((?:PENSTOCK|KAFKA)_[A-Z_]+)/g)];
    return [...rows, ...direct.map(([, name = '']) => name)];
  });
  expect(read).toEqual(expect.arrayContaining(['PENSTOCK_PORT', 'PENSTOCK_MAX_KEYS']));
  expect(read.filter((name) => !known.has(name))).toEqual([]);
});

import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { PENSTOCK_VARIABLES } from '@penstock/runtime';
import { STANDALONE_VARIABLES } from './standalone-variables';

const ROOT = resolve(__dirname, '..', '..', '..');

const PAGE = readFileSync(join(ROOT, 'docs', 'configuration.md'), 'utf8');

const VARIABLES = Object.keys({ ...PENSTOCK_VARIABLES, ...STANDALONE_VARIABLES }).sort();

/** Rows of the tables with this heading of their first column, by their first cell. */
const firstCells = (page: string, heading: string): string[] => {
  const cells: string[] = [];
  let isInside = false;
  for (const line of page.split('\n')) {
    const [, cell] = /^\|\s*(.*?)\s*\|/.exec(line) ?? [];
    if (cell === undefined) isInside = false;
    else if (isInside) cells.push(cell);
    else isInside = cell === heading;
  }
  return cells.filter((cell) => !/^-+$/.test(cell));
};

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
  const documented = firstCells(PAGE, 'Variable').flatMap(namesIn);
  expect([...documented].sort()).toEqual(VARIABLES);
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

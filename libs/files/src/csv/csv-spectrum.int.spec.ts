import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { propertyNameOf } from '../format/property-names';
import { readAll } from '../testing.fixture';

/** Files that others collected to try readers of csv with, and what is in them. */
const ROOT = dirname(require.resolve('csv-spectrum/package.json'));
/** What is said to be meant by it is another row. */
const MISTAKEN = 'location_coordinates';
const NAMES = readdirSync(join(ROOT, 'csvs'))
  .map((name) => name.replace('.csv', ''))
  .filter((name) => name !== MISTAKEN);

/** A line that ends within quotes ends with a line feed for us. */
const lineFeeds = (text: string): string => text.replace(/\r\n/g, '\n');

it('there are such files', () => {
  expect(NAMES.length).toBeGreaterThan(10);
});

it.each(NAMES)('reads %s as it is meant', async (name) => {
  const content = readFileSync(join(ROOT, 'csvs', `${name}.csv`));
  const meant = JSON.parse(readFileSync(join(ROOT, 'json', `${name}.json`), 'utf8')) as Record<
    string,
    string
  >[];
  const settings = { hasColumnNames: true };
  for (const length of [1, 65_536]) {
    const read = await readAll('csv', content, { settings, length });
    expect(read.errors).toEqual([]);
    expect(read.records).toEqual(
      meant.map((record) =>
        Object.fromEntries(
          Object.entries(record).map(([column, value]) => [
            propertyNameOf(column),
            lineFeeds(value),
          ]),
        ),
      ),
    );
  }
});

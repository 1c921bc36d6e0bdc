import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseJson } from '@penstock/schema';
import { PURE_FILES } from './case-files';
import { asObject } from './members';
import { runCase } from './run-case';

const FOLDER = join(__dirname, '../../../conformance');

const lists = [...PURE_FILES].flatMap(([name, listsOfFile]) =>
  listsOfFile(name, asObject(parseJson(readFileSync(join(FOLDER, name), 'utf8')))),
);

describe.each(lists)('$name', ({ cases }) => {
  it.each(cases)('$title', async (each) => {
    expect(await runCase(each)).toBeUndefined();
  });
});

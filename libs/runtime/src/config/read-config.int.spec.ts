import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { integer, text } from './kinds';
import { readConfig } from './read-config';

const TABLE = { PORT: integer({ min: 1, max: 9 }).or(5), NAME: text(), OTHER: text() };

let folder: string;
beforeEach(async () => (folder = await mkdtemp(join(tmpdir(), 'read-config-'))));
afterEach(() => rm(folder, { recursive: true }));

const file = (name: string, content: string) => writeFile(join(folder, name), content);
const read = (env: Record<string, string>) => readConfig(env, TABLE, [], { folder });

it('reads .env of the folder, behind the environment', async () => {
  await file('.env', 'PORT=7\nNAME="two words"\n# OTHER=comment\n');
  expect(read({ PORT: '8' })).toEqual({ PORT: 8, NAME: 'two words', OTHER: undefined });
});

it.each([
  ['s3cret', 's3cret'],
  ['s3cret\n', 's3cret'],
  ['s3cret\r\n', 's3cret'],
  ['s3cret\n\n', 's3cret\n'],
  [' s3cret ', ' s3cret '],
])('reads a value from the file that NAME_FILE names: %j', async (content, expected) => {
  await file('name', content);
  expect(read({ NAME_FILE: join(folder, 'name') }).NAME).toBe(expected);
});

it('takes a relative file name from the folder', async () => {
  await file('name', 'value');
  expect(read({ NAME_FILE: 'name' }).NAME).toBe('value');
});

it('checks a value that comes from a file as any other', async () => {
  await file('port', '10');
  expect(() => read({ PORT_FILE: 'port' })).toThrow('PORT must be a whole number from 1 to 9');
});

it('refuses a file that is not there, and a variable next to its own file, all at once', () => {
  const env = { PORT_FILE: 'none', NAME: 'a', NAME_FILE: 'b' };
  expect(() => read(env)).toThrow(
    'bad configuration: PORT_FILE must name a readable file; NAME and NAME_FILE exclude each other',
  );
});

it('refuses a .env that cannot be read', async () => {
  expect(() => readConfig({}, TABLE, [], { folder: join(folder, 'absent') })).not.toThrow();
  await file('not-a-folder', '');
  expect(() => readConfig({}, TABLE, [], { folder: join(folder, 'not-a-folder') })).toThrow('.env');
});

import { writeJson } from '@penstock/schema';
import { serverOfUrl, settingsOfUrl } from './settings-of-url';

const parsed = (url: string): unknown => JSON.parse(writeJson(settingsOfUrl(url)));

it.each([
  [
    'postgres://u:p@h:6543/d?schema=s&sslmode=require',
    {
      host: 'h',
      port: 6543,
      username: 'u',
      password: 'p',
      database: 'd',
      schema: 's',
      sslMode: 'require',
    },
  ],
  [
    'postgresql://u@h/d',
    { host: 'h', port: 5432, username: 'u', database: 'd', schema: 'warehouse' },
  ],
  [
    'postgres://u%40x:p%2F%25@[::1]/d%20e',
    {
      host: '::1',
      port: 5432,
      username: 'u@x',
      password: 'p/%',
      database: 'd e',
      schema: 'warehouse',
    },
  ],
])('%s', (url, settings) => {
  expect(parsed(url)).toEqual(settings);
});

it.each([
  ['postgres://h/d', '/username'],
  ['postgres://u@h', '/database'],
  ['postgres://u@h:0/d', '/port'],
  ['postgres://u@h/d?schema=pg_x', '/schema'],
  ['postgres://u@h/d?sslmode=allow', '/sslMode'],
  ['postgres://u@h/d?sslrootcert=/etc/passwd', ''],
])('%s is refused', (url, path) => {
  expect(() => settingsOfUrl(url)).toThrow(
    expect.objectContaining({ issues: [expect.objectContaining({ path })] }) as Error,
  );
});

it('names the server', () => {
  expect(serverOfUrl('postgres://u:p@h:6543/d')).toEqual({ host: 'h', port: 6543 });
});

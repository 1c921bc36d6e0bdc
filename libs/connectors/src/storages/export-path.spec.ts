import { exportPath } from './export-path';
import { faultOf } from './storage.fixture';

const AT = new Date('2025-01-31T09:30:05.999Z');

it.each([
  ['users.csv', 'users.csv'],
  ['users-${today}.csv', 'users-2025-01-31.csv'],
  ['${NOW}/${Unix}.csv', '2025-01-31-09-30-05/1738315805.csv'],
  ['$today {now} $', '$today {now} $'],
])('%s is written to %s', (path, written) => {
  expect(exportPath(path, AT)).toBe(written);
});

it.each(['${yesterday}', '${}', '${today', '${ today }', '${constructor}', '${__proto__}'])(
  'refuses %s',
  async (path) => {
    expect(await faultOf(() => exportPath(path, AT))).toEqual([
      'InvalidPlaceholder',
      `there is no placeholder ${path}: there are \${today}, \${now} and \${unix}`,
    ]);
  },
);

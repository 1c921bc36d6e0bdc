import { parsePasswd } from './account';

it('parses user names with uid and gid, and skips other lines', () => {
  const text = [
    'root:x:0:0:root:/root:/bin/bash',
    'postgres:x:101:104:PostgreSQL administrator,,,:/var/lib/postgresql:/bin/bash',
    '# comment',
    '',
  ].join('\n');
  const users = parsePasswd(text);
  expect(users.get('root')).toEqual({ uid: 0, gid: 0 });
  expect(users.get('postgres')).toEqual({ uid: 101, gid: 104 });
  expect([...users.keys()]).toEqual(['root', 'postgres']);
});

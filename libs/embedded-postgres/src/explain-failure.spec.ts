import { explainFailure } from './explain-failure';

it.each([
  ['DiskFull', 'FATAL:  could not extend file "base/1/2": No space left on device'],
  ['DiskFull', 'initdb: error: could not write to file: Disk quota exceeded'],
  ['PortInUse', 'LOG:  could not bind IPv4 address "127.0.0.1": Address already in use'],
  ['FolderInUse', 'FATAL:  lock file "postmaster.pid" already exists'],
  ['FolderInUse', 'FATAL:  pre-existing shared memory block (key 1, ID 2) is still in use'],
  ['OtherMajorVersion', 'FATAL:  database files are incompatible with server'],
  ['NoAccount', 'initdb: error: could not look up effective user ID 1234: user does not exist'],
  ['StartFailed', 'FATAL:  something new'],
])('%s: %s', (code, printed) => {
  expect(explainFailure(printed, '/data')).toMatchObject({
    code,
    message: expect.stringContaining('/data') as string,
  });
});

it('quotes output that it does not recognize', () => {
  expect(explainFailure('FATAL:  something new\n', '/data').message).toContain('something new');
});

it('finds the cause however much the processes of an earlier server have printed behind it', () => {
  const printed = `FATAL:  pre-existing shared memory block (key 1, ID 2) is still in use\n${'FATAL:  terminating connection due to unexpected postmaster exit\n'.repeat(100)}`;
  expect(explainFailure(printed, '/data').code).toBe('FolderInUse');
  const unknown = explainFailure(`the beginning\n${'x'.repeat(10_000)}the end`, '/data');
  expect(unknown.message).toMatch(/the end$/);
  expect(unknown.message.length).toBeLessThan(2_200);
});

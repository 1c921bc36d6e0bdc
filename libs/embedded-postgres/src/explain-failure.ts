import { EmbeddedPostgresError, type EmbeddedPostgresFault } from './embedded-postgres-error';

interface Cause {
  readonly code: EmbeddedPostgresFault;
  readonly sign: RegExp;
  readonly advice: string;
}

/** What PostgreSQL's programs print (LC_ALL=C) → what an operator can do about it. First match counts. */
const CAUSES: readonly Cause[] = [
  {
    code: 'DiskFull',
    sign: /No space left on device|Disk quota exceeded/,
    advice: 'the disk is full: free some space',
  },
  {
    code: 'PortInUse',
    sign: /Address already in use/,
    advice: 'its port is in use by another program: stop that one, or choose another port',
  },
  {
    code: 'FolderInUse',
    sign: /lock file "postmaster\.pid" already exists|pre-existing shared memory block/,
    advice: 'processes of an earlier server still work in it: wait for them to end',
  },
  {
    code: 'OtherMajorVersion',
    sign: /database files are incompatible with server/,
    advice:
      'another version of PostgreSQL made it: start with the release that made it, dump and restore',
  },
  {
    code: 'NoAccount',
    sign: /could not look up effective user ID/,
    advice: 'this user has no entry in /etc/passwd: add one, or set DATABASE_URL',
  },
];

/** @param printed the end of what the program printed; it becomes part of the message only when nothing is recognised. */
export const explainFailure = (printed: string, folder: string): EmbeddedPostgresError => {
  const known = CAUSES.find(({ sign }) => sign.test(printed));
  const subject = `the embedded PostgreSQL of ${folder} does not start`;
  return known
    ? new EmbeddedPostgresError(known.code, `${subject}; ${known.advice}`)
    : new EmbeddedPostgresError('StartFailed', `${subject}; it printed: ${printed.trim()}`);
};

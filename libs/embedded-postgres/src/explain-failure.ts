import { EmbeddedPostgresError, type EmbeddedPostgresFault } from './embedded-postgres-error';

interface Cause {
  readonly code: EmbeddedPostgresFault;
  readonly sign: RegExp;
  readonly advice: string;
}

/** Output of PostgreSQL's programs (LC_ALL=C) and the advice for the operator. The first match applies. */
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

/** How much of the output is quoted, from its end. */
const QUOTED_CHARACTERS = 2_000;

/**
 * @param printed the program's output, and perhaps that of processes of an earlier server, however much they have printed
 *   behind the cause; its end is quoted in the message only when no known cause matches.
 */
export const explainFailure = (printed: string, folder: string): EmbeddedPostgresError => {
  const known = CAUSES.find(({ sign }) => sign.test(printed));
  const subject = `the embedded PostgreSQL of ${folder} does not start`;
  return known
    ? new EmbeddedPostgresError(known.code, `${subject}; ${known.advice}`)
    : new EmbeddedPostgresError(
        'StartFailed',
        `${subject}; it printed: ${printed.slice(-QUOTED_CHARACTERS).trim()}`,
      );
};

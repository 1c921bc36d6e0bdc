/** The least version of Node, as in `engines` of the package. */
const LEAST = { major: 20, minor: 19 };

const isSupported = (version: string): boolean => {
  const [, major, minor] = /^v(\d+)\.(\d+)/.exec(version) ?? [];
  return (
    Number(major) > LEAST.major || (Number(major) === LEAST.major && Number(minor) >= LEAST.minor)
  );
};

/** @returns what is wrong with the version of Node, in one line; undefined when it is supported. */
export const unsupportedNode = (version: string): string | undefined =>
  isSupported(version)
    ? undefined
    : `Penstock needs Node ${LEAST.major}.${LEAST.minor} or later, this is ${version}: install a newer one from https://nodejs.org`;

/**
 * Starts a program, or ends the process with 1 when its Node is too old.
 *
 * @param start imports the program itself: some packages do not even load on an older Node.
 */
export const onSupportedNode = (start: () => Promise<void>): void => {
  const fault = unsupportedNode(process.version);
  if (fault === undefined) {
    void start();
    return;
  }
  process.stderr.write(`${fault}\n`);
  process.exitCode = 1;
};

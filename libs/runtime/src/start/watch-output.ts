/** The standard streams of a process, as far as they are watched. */
export interface StandardStreams {
  readonly stdout: NodeJS.EventEmitter;
  readonly stderr: NodeJS.EventEmitter;
}

/**
 * Calls back once when something was written to standard output that nobody reads any more, as after `… | head`. Without it
 * a failed write is an uncaught error, whose report is a failed write again, and so on.
 *
 * Failed writes to standard error are ignored, since nobody can be told.
 *
 * @param streams default: those of this process.
 */
export const watchOutput = (
  onGone: () => void,
  { stdout, stderr }: StandardStreams = process,
): void => {
  let isGone = false;
  stdout.on('error', () => {
    if (isGone) return;
    isGone = true;
    onGone();
  });
  stderr.on('error', () => undefined);
};

/** The standard streams of a process, as far as they are watched. */
export interface StandardStreams {
  readonly stdout: NodeJS.EventEmitter;
  readonly stderr: NodeJS.EventEmitter;
}

/** Codes of writes that fail because the reader has left. */
const GONE: readonly unknown[] = ['EPIPE', 'ERR_STREAM_DESTROYED'];

/**
 * Calls back once when something was written to standard output that nobody reads any more, as after `… | head`.
 * Without it a failed write is an uncaught error, whose report is a failed write again, and so on.
 *
 * Other failed writes to standard output, such as those to a disk that is full, lose lines and end nothing. Failed writes to
 * standard error are ignored too, since nobody can be told.
 *
 * @param streams default: those of this process.
 */
export const watchOutput = (
  onGone: () => void,
  { stdout, stderr }: StandardStreams = process,
): void => {
  let isGone = false;
  stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
    if (isGone || !GONE.includes(code)) return;
    isGone = true;
    onGone();
  });
  stderr.on('error', () => undefined);
};

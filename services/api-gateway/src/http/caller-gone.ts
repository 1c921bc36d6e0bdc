import type { Response } from 'express';

/** Whoever has made a request does not wait for the answer any more. */
export class CallerGone extends Error {
  override readonly name = 'CallerGone';
}

/** @returns a signal that fires with {@link CallerGone} when the connection closes before the response was sent. */
export const callerGone = (response: Response): AbortSignal => {
  const controller = new AbortController();
  const onClose = (): void => {
    if (!response.writableFinished) controller.abort(new CallerGone('the caller has gone'));
  };
  if (response.closed) onClose();
  else response.once('close', onClose);
  return controller.signal;
};

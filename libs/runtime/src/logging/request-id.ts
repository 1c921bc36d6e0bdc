import { AsyncLocalStorage } from 'node:async_hooks';
import { withoutTrace } from './trace-context';

const storage = new AsyncLocalStorage<string>();

/** Runs the work so that every line it logs, however deep, carries the request's id. */
export const withRequestId = <T>(requestId: string, work: () => T): T =>
  storage.run(requestId, work);

/** For what no request is to blame for, such as the end of a connection that one of them happened to open. */
export const withoutRequestId = <T>(work: () => T): T => storage.exit(() => withoutTrace(work));

/**
 * The id of the request that is being handled.
 *
 * @returns undefined outside of {@link withRequestId}.
 */
export const currentRequestId = (): string | undefined => storage.getStore();

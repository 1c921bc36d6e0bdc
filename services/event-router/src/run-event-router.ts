import { runService } from '@penstock/platform';
import { createEventRouter } from './create-event-router';

/** Runs the router in a process of its own. */
export const runEventRouter = (): Promise<void> =>
  runService('event-router', {}, createEventRouter);

import { runService } from '@penstock/platform';
import { createEventRouter } from './create-event-router';

runService('event-router', {}, createEventRouter);

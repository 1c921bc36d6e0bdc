import type { Outcome } from '@penstock/connectors';
import type { Batch } from './batch';
import type { Destination, RequestTerms } from './destination';
import type { DestinationId } from '../store/lane-id';

/** Sends one request with the events of the batch; resolves to one outcome for each event sent. */
export type SendBatch = (
  connection: DestinationId,
  batch: Batch,
  destination: Destination,
  terms: RequestTerms,
) => Promise<readonly Outcome[]>;

/** Without anything around it. */
export const sendBatch: SendBatch = (_, { events }, destination, terms) =>
  destination.send(events, terms);

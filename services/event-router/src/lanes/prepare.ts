import { idempotencyKey } from '@penstock/contracts';
import type { OutgoingEvent } from '@penstock/connectors';
import type { RecordValue } from '@penstock/schema';
import { OutputValidationError, TransformationError } from '@penstock/transformations';
import type { Ending } from '../store/changes';
import type { Delivery } from './delivery';

/** The delivery cannot be made: it ends so. */
export class CannotPrepare extends Error {
  override readonly name = 'CannotPrepare';
  constructor(readonly ending: Ending) {
    super(ending.reason);
  }
}

const failed = (error: unknown): Ending => {
  if (error instanceof OutputValidationError)
    return { state: 'Rejected', step: 'OutputValidation', code: '', reason: error.message };
  if (error instanceof TransformationError)
    return { state: 'Rejected', step: 'Transformation', code: '', reason: error.message };
  throw error;
};

const transformed = ({ pipeline, event }: Delivery): RecordValue | null => {
  try {
    return pipeline.transform(event);
  } catch (error) {
    throw new CannotPrepare(failed(error));
  }
};

/**
 * What the connector gets of a delivery; the transformation runs once, also when the delivery is tried again.
 *
 * @throws CannotPrepare
 */
export const prepare = (delivery: Delivery): OutgoingEvent => {
  const { pipeline, event, eventText } = delivery;
  const { id, eventType } = pipeline.state;
  delivery.values ??= transformed(delivery);
  return {
    eventType,
    event,
    eventText,
    values: delivery.values,
    outSchema: pipeline.outSchema,
    idempotencyKey: idempotencyKey(
      event['connectionId'] as string,
      event['messageId'] as string,
      id,
    ),
    pipeline: id,
  };
};

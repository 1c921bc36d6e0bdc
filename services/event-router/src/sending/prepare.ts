import { idempotencyKey, replayIdempotencyKey } from '@penstock/contracts';
import type { RecordValue } from '@penstock/schema';
import {
  OutputValidationError,
  RecordFailure,
  TransformationError,
} from '@penstock/transformations';
import type { Ending } from '../store/changes';
import { type Delivery, replayOf } from '../lanes/delivery';
import type { PreparedEvent } from './destination';

/** The delivery cannot be sent and has this ending. */
export class CannotPrepare extends Error {
  override readonly name = 'CannotPrepare';
  constructor(readonly ending: Ending) {
    super(ending.reason);
  }
}

const rejected = (step: RecordFailure['step'], { message }: { readonly message: string }) =>
  new CannotPrepare({ state: 'Rejected', step, code: '', reason: message });

const applied = ({ pipeline, held: { read } }: Delivery): RecordValue | null => {
  try {
    return pipeline.transform(read.event);
  } catch (error) {
    if (error instanceof OutputValidationError) throw rejected('OutputValidation', error);
    if (error instanceof TransformationError) throw rejected('Transformation', error);
    throw error;
  }
};

const keyOfDelivery = (delivery: Delivery): string => {
  const { event } = delivery.held.read;
  const [source, messageId] = [event['connectionId'] as string, event['messageId'] as string];
  const { id } = delivery.pipeline.state;
  const replay = replayOf(delivery);
  return replay === null
    ? idempotencyKey(source, messageId, id)
    : replayIdempotencyKey(source, messageId, id, replay.job);
};

/**
 * Builds the connector's input from a delivery. The result of the transformation is kept for retries.
 *
 * @throws CannotPrepare
 */
export const prepare = (delivery: Delivery): PreparedEvent => {
  const { pipeline, held } = delivery;
  const { event, eventText } = held.read;
  const { state } = pipeline;
  delivery.values ??= applied(delivery);
  const { values } = delivery;
  if (values instanceof RecordFailure) throw rejected(values.step, values);
  return {
    eventType: state.eventType ?? '',
    event,
    eventText,
    values,
    outSchema: pipeline.outSchema,
    idempotencyKey: keyOfDelivery(delivery),
    pipeline: state.id,
    state,
  };
};

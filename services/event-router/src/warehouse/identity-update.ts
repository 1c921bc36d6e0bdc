import { newRecord, type RecordValue, type Schema } from '@penstock/schema';
import type { EventUpdate } from '@penstock/warehouses';

const US_PER_MS = 1_000n;

/** The values without null, which says nothing of a property. */
const withoutNull = (values: RecordValue, { properties }: Schema): RecordValue => {
  const result = newRecord();
  for (const { name, type } of properties) {
    const value = values[name];
    if (value === null || value === undefined) continue;
    result[name] = type.kind === 'object' ? withoutNull(value as RecordValue, type) : value;
  }
  return result;
};

/**
 * What an event says of its user.
 *
 * @param event by the event schema.
 * @param values of the profile that the transformation has given; `null`: there is none.
 * @param schema of these values.
 */
export const identityUpdate = (
  event: RecordValue,
  values: RecordValue | null,
  schema: Schema | null,
): EventUpdate => {
  const [userId, anonymousId, messageId, timestamp, previousId] = [
    'userId',
    'anonymousId',
    'messageId',
    'timestamp',
    'previousId',
  ].map((name) => event[name] as string | undefined);
  const isKnown = userId !== undefined;
  return {
    kind: 'event',
    recordId: userId ?? anonymousId ?? '',
    anonymous: !isKnown,
    ...(isKnown && anonymousId !== undefined && { anonymousId }),
    ...(isKnown && previousId !== undefined && event['type'] === 'alias' && { previousId }),
    updatedAtUs: BigInt(Date.parse(timestamp ?? '')) * US_PER_MS,
    tieBreaker: messageId ?? '',
    values: values === null || schema === null ? newRecord() : withoutNull(values, schema),
  };
};

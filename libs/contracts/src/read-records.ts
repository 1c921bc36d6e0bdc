import type { DataKey, DataKeyRecord } from './data-key';
import type { RecordedFact } from './fact';
import { isName, isObject, isPosition, objectIn } from './foreign-json';
import type { StateRecord } from './state';

/**
 * Reads the value of a record of the topic `configuration`.
 *
 * @returns undefined for what no pipeline service can have written: whoever may write to the log may write anything.
 */
export const readFact = (value: string | null): RecordedFact | undefined => {
  const fact = objectIn(value);
  return isPosition(fact['position']) ? (fact as unknown as RecordedFact) : undefined;
};

/** Reads the value of a record of the topic `configuration.state` that is no tombstone; as {@link readFact}. */
export const readState = (value: string): StateRecord | undefined => {
  const { position, state } = objectIn(value);
  if (!isPosition(position) || !isObject(state)) return undefined;
  const isNamed = isName(state['kind']) && isName(state['id']);
  return isNamed ? ({ position, state } as unknown as StateRecord) : undefined;
};

/** Reads the value of a record of the topic `configuration.state` that holds the data key of a workspace; as {@link readFact}. */
export const readDataKey = (value: string): DataKey | undefined => {
  const { dataKey } = objectIn(value) as Partial<DataKeyRecord>;
  return isObject(dataKey) ? dataKey : undefined;
};

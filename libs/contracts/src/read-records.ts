import type { DataKey, DataKeyRecord } from './data-key';
import type { RecordedFact } from './fact';
import type { RecordedRunFact } from './runs/run.facts';
import type { StateRecord } from './state';

/** Numbers of the facts of a run are stored in four bytes. */
const MAX_FACT_NUMBER = 2_147_483_647;

/** The object in a text of JSON; empty where there is none. */
const objectIn = (text: string | null): Partial<Record<string, unknown>> => {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
};

const isPosition = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) > 0;

const isObject = (value: unknown): value is Partial<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/** No text of ours has a NUL, which no database stores. */
const isName = (value: unknown): boolean => typeof value === 'string' && !value.includes('\0');

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

/** Reads the value of a record of the topic `runs`; as {@link readFact}, of run executors. */
export const readRunFact = (value: string | null): RecordedRunFact | undefined => {
  const fact = objectIn(value);
  const { run, workspace, number } = fact;
  const isNumbered = isPosition(number) && Number(number) <= MAX_FACT_NUMBER;
  const isFact = isName(run) && isName(workspace) && isNumbered;
  return isFact ? (fact as unknown as RecordedRunFact) : undefined;
};
